import type { Source } from '../../service/src/protocol/source.ts';
import type { Service } from '../../service/src/server/service.ts';
import { createService } from '../../service/src/server/service.ts';
import type { ServiceSettings } from '../../service/src/settings/settings.ts';
import type { Verification } from '../../service/src/verification/verification.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { virtualClock } from '../fixtures/virtual-clock.ts';

/** A service whose clock stands still, and that takes any submission the interface allows. */
export function serviceOver(source: Source, settings: ServiceSettings = {}): Service {
  return createService({ source, settings, effects: virtualClock(), verification: TAKES_ALL });
}

const TAKES_ALL: Verification = {
  submit: async () => '0123456789abcdef0123456789abcdef',
  result: () => 'Pending',
  reason: () => undefined,
  close: () => undefined,
};

export type WireObject = Readonly<Record<string, string | boolean>>;

export interface Answer {
  readonly status: number;
  readonly code: string;
  readonly msg: string;
  readonly data: readonly Readonly<Record<string, unknown>>[];
  readonly text: string;
}

/** Asks for an endpoint by its path in the catalogue. */
export async function ask(
  service: Service,
  path: string,
  params: Readonly<Record<string, string>>,
): Promise<Answer> {
  return askTarget(service, `/api/v5/${path}?${new URLSearchParams(params)}`);
}

export async function askTarget(service: Service, target: string, method = 'GET'): Promise<Answer> {
  const { status, body } = await service.answer({ method, target, headers: {}, body: '' });
  return { status, text: body, ...(JSON.parse(body) as Omit<Answer, 'status' | 'text'>) };
}

/** Posts a body: a text as it stands, anything else as JSON. */
export async function askPost(
  service: Service,
  target: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = { 'content-type': 'application/json' },
): Promise<Answer> {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  const answer = await service.answer({ method: 'POST', target, headers, body: text });
  return {
    status: answer.status,
    text: answer.body,
    ...(JSON.parse(answer.body) as Omit<Answer, 'status' | 'text'>),
  };
}

/** A page of a paged reply: its paging fields as numbers, and its one list. */
export function pageIn(answer: Answer): {
  readonly page: number;
  readonly limit: number;
  readonly totalPage: number;
  readonly list: readonly WireObject[];
} {
  const [only, ...more] = answer.data;
  if (only === undefined || more.length > 0) throw new Error(`not one page: ${answer.text}`);
  const lists = Object.values(only).filter(Array.isArray);
  if (lists.length !== 1) throw new Error(`not one list: ${answer.text}`);
  const { page, limit, totalPage } = only;
  return {
    page: Number(page),
    limit: Number(limit),
    totalPage: Number(totalPage),
    list: lists[0] as WireObject[],
  };
}

/** One exchange typed by hand from the interface, and the records it must be answered from. */
export interface Literal {
  readonly endpoint: string;
  /** By dataset, and within it by column word. */
  readonly records: Readonly<Record<string, readonly CanonicalRecord[]>>;
  /** Path and query as they stand in the request line. */
  readonly target: string;
  /** The JSON body of a POST; without one the request is a GET. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** The whole body; keys stand in documented order. */
  readonly response: unknown;
}
