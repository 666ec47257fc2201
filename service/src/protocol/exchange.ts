import { REFUSALS, type RefusalKind } from './errors.ts';

/** A request as the service sees it, without port and socket. */
export interface ServiceRequest {
  readonly method: string;
  /** Path and query as in the request line: the bytes that a signature covers. */
  readonly target: string;
  readonly headers: Headers;
  /** '' for requests without a body. */
  readonly body: string;
}

export interface ServiceResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** How the answer is sent. Absent: unchanged, at once and whole. */
  readonly delivery?: Delivery;
}

export type Coding = 'gzip' | 'deflate' | 'br';

/** Properties of an answer's transmission that text and headers cannot express. */
export interface Delivery {
  /** The body is sent in a coding, followed by spaces until it decodes to `leastBytes` bytes. */
  readonly coded?: { readonly as: Coding; readonly leastBytes: number };
  /** Spaces follow the body, up to this total. */
  readonly paddedToBytes?: number;
  /** Delay before the first byte. */
  readonly delayMs?: number;
  /** The body is sent in pieces with pauses in between. */
  readonly trickle?: { readonly pieceBytes: number; readonly pauseMs: number };
  /** The connection is closed after this part of the body. */
  readonly cutAfterBytes?: number | 'half';
}

/** Headers by name, in any mixture of upper and lower case. */
type Headers = Readonly<Record<string, string | undefined>>;

export const JSON_TYPE = 'application/json; charset=utf-8';

/**
 * The envelope of success. Every scalar in `data` is a text or a flag; `headers` are added to its
 * content type.
 */
export function success(
  data: readonly unknown[],
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  const body = JSON.stringify({ code: '0', msg: '', data });
  return { status: 200, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}

/** The envelope of an error, with an empty `data`; `headers` are added to its content type. */
export function refused(
  kind: RefusalKind,
  message: string,
  headers: Readonly<Record<string, string>> = {},
): ServiceResponse {
  const { code, status } = REFUSALS[kind];
  const body = JSON.stringify({ code, msg: message, data: [] });
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body };
}

/** The code in an envelope that begins with it; '' for any other body. */
export function codeIn({ body }: ServiceResponse): string {
  return /^\{"code":"([0-9]{1,9})"/.exec(body)?.[1] ?? '';
}

/** The media type of the body, in lower case and without its parameters; '' if none is given. */
export function contentTypeOf({ headers }: ServiceRequest): string {
  const named = Object.entries(headers).find(([name]) => name.toLowerCase() === 'content-type');
  return named?.[1]?.split(';')[0]?.trim().toLowerCase() ?? '';
}
