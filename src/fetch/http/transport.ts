import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';

/** A request as it is sent. */
export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  /** Path and query exactly as sent; they are part of the signature. */
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  /** '' for requests without a body. */
  readonly body: string;
}

export interface HttpResponse {
  readonly status: number;
  /** Headers by lower-case name; repeated headers are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>;
  /** Decoded to text. */
  readonly body: string;
}

/** Sends one request once. Throws a TransportFailure, or the signal's reason when it is aborted. */
export type Transport = (request: HttpRequest, signal: AbortSignal) => Promise<HttpResponse>;

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

export interface TransportOptions {
  /** Targets are sent without the path of this address: see `basePath`. */
  readonly baseUrl: string;
  readonly connections: number;
  readonly timeouts: {
    readonly connectMs: number;
    /** From the request to the first byte. */
    readonly headersMs: number;
    /** Between two chunks of a body. */
    readonly bodyMs: number;
    readonly totalMs: number;
  };
  /** Largest body size before and after decoding; 64 MiB by default. */
  readonly maxBodyBytes?: number;
}

export interface HttpSource {
  readonly send: Transport;
  /** Path of the base address, with which every target begins; '' for none. */
  readonly basePath: string;
  /** Ends open requests and connections. */
  close(): Promise<void>;
}

const DEFAULT_MAX_BODY_BYTES = 64 * 2 ** 20;
/** Services do not encode a body more often; more layers can hide its decoded size. */
const MAX_CODINGS = 2;

/**
 * Sends requests over a pool of keep-alive connections. Redirects are never followed, because the
 * authentication headers would be sent to their target.
 */
export function undiciTransport(options: TransportOptions): HttpSource {
  const { timeouts, maxBodyBytes = DEFAULT_MAX_BODY_BYTES } = options;
  const { origin, pathname } = new URL(options.baseUrl);
  const pool = new Pool(origin, {
    connections: options.connections,
    connect: { timeout: timeouts.connectMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
  });

  const exchange = async (request: HttpRequest, signal: AbortSignal): Promise<HttpResponse> => {
    const response = await pool.request({
      method: request.method,
      path: request.target,
      headers: { ...request.headers, 'accept-encoding': 'gzip, deflate, br' },
      ...(request.body === '' ? {} : { body: request.body }),
      signal,
    });
    const headers = joinedHeaders(response.headers);
    if (response.statusCode >= 300 && response.statusCode < 400) {
      // Destroying the body emits an error, which is ignored.
      response.body.on('error', () => {}).destroy();
      throw new TransportFailure('redirect', redirectMessage(headers['location'], origin));
    }
    const raw = await boundedBytes(response.body, maxBodyBytes);
    const decoded = await decode(raw, headers['content-encoding'] ?? '', maxBodyBytes);
    return { status: response.statusCode, headers, body: asText(decoded) };
  };

  const send: Transport = async (request, signal) => {
    signal.throwIfAborted();
    const abort = new AbortController();
    const onAbort = (): void => abort.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    // An Error per request would cost as much as the rest of this function.
    const overdue = (): TransportFailure =>
      new TransportFailure('timeout', `no complete answer in ${timeouts.totalMs} ms`);
    const timer = setTimeout(() => abort.abort(overdue()), timeouts.totalMs);
    try {
      return await exchange(request, abort.signal);
    } catch (error) {
      signal.throwIfAborted();
      throw abort.signal.aborted ? abort.signal.reason : asFailure(error);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  };
  return { send, basePath: pathname.replace(/\/+$/, ''), close: () => pool.destroy() };
}

function joinedHeaders(raw: Dispatcher.ResponseData['headers']): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(raw)) {
    if (value !== undefined) headers[name.toLowerCase()] = [value].flat().join(', ');
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

async function boundedBytes(body: AsyncIterable<Uint8Array>, maxBytes: number): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  for await (const piece of body) {
    bytes += piece.length;
    if (bytes > maxBytes) throw tooLarge(maxBytes);
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

type Decoder = (coded: Buffer, options: ZlibOptions) => Promise<Buffer>;

const decoders: Readonly<Record<string, Decoder>> = {
  gzip: promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  'x-gzip': promisify<Buffer, ZlibOptions, Buffer>(gunzip),
  br: promisify<Buffer, ZlibOptions, Buffer>(brotliDecompress),
  // "deflate" means the zlib format, which begins with 8; some servers send the raw stream.
  deflate: (coded, options) => {
    const isZlib = ((coded[0] ?? 0) & 0x0f) === 8;
    return promisify<Buffer, ZlibOptions, Buffer>(isZlib ? inflate : inflateRaw)(coded, options);
  },
  identity: async (coded) => coded,
};

async function decode(raw: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
  const codings = encoding.split(',').map((name) => name.trim().toLowerCase());
  const applied = codings.filter((name) => name !== '').reverse();
  if (applied.length > MAX_CODINGS) throw broken('the body has too many content encodings');
  let body = raw;
  for (const coding of applied) {
    const decoder = decoders[coding];
    if (decoder === undefined)
      throw broken(`the body has a content encoding that was not requested`);
    try {
      body = await decoder(body, { maxOutputLength: maxBytes });
    } catch (error) {
      if (codeOf(error) === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(maxBytes);
      throw broken(`the body is not a complete ${coding} stream`, error);
    }
  }
  return body;
}

function asText(bytes: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (error) {
    throw broken('the body is not UTF-8', error);
  }
}

function tooLarge(maxBytes: number): TransportFailure {
  return new TransportFailure('too-large', `the body is larger than ${maxBytes} bytes`);
}

function broken(message: string, cause?: unknown): TransportFailure {
  return new TransportFailure('broken-body', message, cause);
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
function asFailure(error: unknown): TransportFailure {
  if (error instanceof TransportFailure) return error;
  const code = codeOf(error);
  const known = KINDS[code];
  if (known !== undefined) return new TransportFailure(known[0], known[1], error);
  const named = code === '' ? '' : ` (${code})`;
  return new TransportFailure('network', `the connection was lost${named}`, error);
}

function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}
