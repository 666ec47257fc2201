import { partsOf } from '../answer/routes.ts';
import { codeIn, type ServiceRequest, type ServiceResponse } from '../protocol/exchange.ts';

export interface RequestLine {
  readonly method: string;
  readonly target: string;
  readonly status: number;
}

/** The log entry of one answer. It has neither the query nor any header of the request. */
export interface AnswerLine {
  /** Time of the answer, ISO 8601 UTC with milliseconds. */
  readonly time: string;
  /** '' for bytes that are not a request. */
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** The code of the envelope; '' for an answer without one. */
  readonly code: string;
  readonly durationMs: number;
  /** Bytes of the body. */
  readonly bytes: number;
}

const REQUEST_LINES = 1000;

/** Counts answers, keeps the newest requests, and passes each entry to `answered`. */
export function requestLog(answered?: (line: AnswerLine) => void) {
  const lines: RequestLine[] = [];
  const byStatus = new Map<number, number>();
  const counters = { total: 0, byStatus };
  return {
    lines,
    counters,
    add: (
      { method, target }: Pick<ServiceRequest, 'method' | 'target'>,
      response: ServiceResponse,
      { nowMs, durationMs }: { readonly nowMs: number; readonly durationMs: number },
    ): void => {
      const { status, body } = response;
      counters.total += 1;
      byStatus.set(status, (byStatus.get(status) ?? 0) + 1);
      lines.push({ method, target, status });
      if (lines.length > REQUEST_LINES) lines.shift();
      answered?.({
        time: new Date(nowMs).toISOString(),
        method,
        path: partsOf(target).path,
        status,
        code: codeIn(response),
        durationMs,
        bytes: Buffer.byteLength(body),
      });
    },
  };
}
