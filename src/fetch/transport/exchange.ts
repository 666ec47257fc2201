import type { Dispatcher } from 'undici';
import { TransportFailure } from './failures.ts';

export function tooLarge(maxBytes: number): TransportFailure {
  return new TransportFailure('too-large', `the body is larger than ${maxBytes} bytes`);
}

export interface RawResponse {
  readonly status: number;
  /** Headers by lower-case name; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as sent, before its content encoding is undone. */
  readonly bytes: Buffer;
}

/**
 * One request and its response, without the streams of `undici.request`, which cost more than the
 * rest of a request: the body is bounded, so it is collected in memory anyway.
 */
export class Exchange implements Dispatcher.DispatchHandler {
  /** Rejects with the error of the connection, a TransportFailure, or the reason given to `end`. */
  readonly answered: Promise<RawResponse>;
  readonly #origin: string;
  readonly #maxBytes: number;
  #resolve: (response: RawResponse) => void = () => {};
  #reject: (reason: unknown) => void = () => {};
  #controller: Dispatcher.DispatchController | undefined;
  #ended: { readonly reason: unknown } | undefined;
  #status = 0;
  #headers: Record<string, string> = {};
  #pieces: Buffer[] = [];
  #bytes = 0;

  /** Bodies of more than `maxBytes` and redirects are failures. */
  constructor(origin: string, maxBytes: number) {
    this.#origin = origin;
    this.#maxBytes = maxBytes;
    this.answered = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Ends the request with this reason; one that is not sent yet will not be sent. */
  end(reason: unknown): void {
    if (this.#ended !== undefined) return;
    this.#ended = { reason };
    this.#reject(reason);
    this.#controller?.abort(asError(reason));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#ended !== undefined) controller.abort(asError(this.#ended.reason));
  }

  onResponseStart(
    _: Dispatcher.DispatchController,
    status: number,
    headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  ): void {
    // An informational response comes before the response itself.
    if (status < 200) return;
    this.#status = status;
    this.#headers = joinedHeaders(headers);
    if (status < 300 || status > 399) return;
    const message = redirectMessage(this.#headers['location'], this.#origin);
    this.end(new TransportFailure('redirect', message));
  }

  onResponseData(_: Dispatcher.DispatchController, piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > this.#maxBytes) this.end(tooLarge(this.#maxBytes));
    else this.#pieces.push(piece);
  }

  onResponseEnd(): void {
    const [only] = this.#pieces;
    const isWhole = only !== undefined && this.#pieces.length === 1;
    const bytes = isWhole ? only : Buffer.concat(this.#pieces, this.#bytes);
    this.#resolve({ status: this.#status, headers: this.#headers, bytes });
  }

  onResponseError(_: Dispatcher.DispatchController, error: Error): void {
    this.#reject(error);
  }
}

/** undici ends a request only with an Error; the reason of a signal can be any value. */
function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('ended');
}

function joinedHeaders(
  raw: Readonly<Record<string, string | readonly string[] | undefined>>,
): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (typeof value === 'string') headers[name.toLowerCase()] = value;
    else if (value !== undefined) headers[name.toLowerCase()] = value.join(', ');
  }
  return headers;
}

/** Contains only the origin: the rest of a Location header may repeat the request. */
function redirectMessage(location: string | undefined, origin: string): string {
  const target = location === undefined ? '' : location;
  const to = URL.canParse(target, origin)
    ? new URL(target, origin).origin
    : 'an unreadable address';
  return `the service redirects to ${to}; redirects are never followed`;
}
