export type TransportFailureKind =
  | 'refused'
  | 'unknown-host'
  | 'timeout'
  | 'network'
  | 'broken-body'
  | 'redirect'
  | 'too-large';

/**
 * The failure of a request without a response. `redirect` and `too-large` would occur again; the
 * others may not.
 */
export class TransportFailure extends Error {
  readonly kind: TransportFailureKind;

  constructor(kind: TransportFailureKind, message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'TransportFailure';
    this.kind = kind;
  }
}

const KINDS: Readonly<Record<string, readonly [TransportFailureKind, string]>> = {
  ECONNREFUSED: ['refused', 'the connection was refused'],
  ENOTFOUND: ['unknown-host', 'the host name is unknown'],
  EAI_AGAIN: ['unknown-host', 'the host name could not be resolved'],
  ETIMEDOUT: ['timeout', 'the connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'connecting took too long'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'the answer took too long to begin'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'the answer stopped in the middle'],
};

/** A failed connection has a cause with a code, or several causes after several tries. */
export function asTransportFailure(error: unknown): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const code = codeOf(error);
  const known = KINDS[code];
  if (known !== undefined) return new TransportFailure(known[0], known[1], error);
  const named = code === '' ? '' : ` (${code})`;
  return new TransportFailure('network', `the connection was lost${named}`, error);
}

/** The code of an error or of its first cause; '' if it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}

export function tooLarge(maxBytes: number): TransportFailure {
  return new TransportFailure('too-large', `the body is larger than ${maxBytes} bytes`);
}
