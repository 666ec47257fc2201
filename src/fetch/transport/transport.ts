import { promisify } from 'node:util';
import { brotliDecompress, gunzip, inflate, inflateRaw, type ZlibOptions } from 'node:zlib';
import { type Dispatcher, Pool } from 'undici';
import { connectorOf, proxyRefusal } from './connector.ts';
import { Exchange, tooLarge } from './exchange.ts';
import { asTransportFailure, codeOf, TransportFailure } from './failures.ts';
import { type Environment, type HttpProxy, proxyFor } from './proxy.ts';

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
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY; without it, no proxy is used. */
  readonly env?: Environment | undefined;
}

export interface HttpSource {
  readonly send: Transport;
  /** Path of the base address, with which every target begins; '' for none. */
  readonly basePath: string;
  /** Ends open requests and connections. */
  close(): Promise<void>;
}

/** A page of 100 records is about 60 KB. */
const DEFAULT_MAX_BODY_BYTES = 64 * 2 ** 20;
/** Services do not encode a body more often; more layers can hide its decoded size. */
const MAX_CODINGS = 2;

/**
 * Sends requests over a pool of keep-alive connections. Redirects are never followed, because the
 * authentication headers would be sent to their target. A proxy of the environment gets requests to
 * an http address as they are, and opens a tunnel to an https address.
 */
export function undiciTransport(options: TransportOptions): HttpSource {
  const { timeouts, maxBodyBytes = DEFAULT_MAX_BODY_BYTES, env = {} } = options;
  const { origin, pathname, protocol } = new URL(options.baseUrl);
  const proxy = proxyFor(options.baseUrl, env);
  const isTunnel = protocol === 'https:';
  const forwarder = isTunnel ? undefined : proxy;
  const timeoutMs = timeouts.connectMs;
  const pool = new Pool(forwarder?.origin ?? origin, {
    connections: options.connections,
    connect: isTunnel ? connectorOf({ timeoutMs, proxy }) : { timeout: timeoutMs },
    headersTimeout: timeouts.headersMs,
    bodyTimeout: timeouts.bodyMs,
  });

  const send: Transport = async (request, signal) => {
    signal.throwIfAborted();
    const exchange = new Exchange(origin, maxBodyBytes);
    const onAbort = (): void => exchange.end(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    // The failure is made when the timer fires: an Error with its stack for each request would
    // cost as much as the rest of this function.
    const timer = setTimeout(() => {
      const message = `no complete answer in ${timeouts.totalMs} ms`;
      exchange.end(new TransportFailure('timeout', message));
    }, timeouts.totalMs);
    try {
      pool.dispatch(dispatched(request, origin, forwarder), exchange);
      const { status, headers, bytes } = await exchange.answered;
      const encoding = headers['content-encoding'] ?? '';
      const raw = encoding === '' ? bytes : await decoded(bytes, encoding, maxBodyBytes);
      const body = asText(raw);
      const response = { status, headers, body };
      const failure = failureIn(response, forwarder);
      if (failure !== undefined) throw failure;
      return response;
    } catch (error) {
      signal.throwIfAborted();
      throw asTransportFailure(error, proxy);
    } finally {
      clearTimeout(timer);
      signal.removeEventListener('abort', onAbort);
    }
  };
  return { send, basePath: pathname.replace(/\/+$/, ''), close: () => pool.destroy() };
}

/** A proxy gets the whole address, the host of the service, and its own headers. */
function dispatched(
  { method, target, headers, body }: HttpRequest,
  origin: string,
  forwarder: HttpProxy | undefined,
): Dispatcher.DispatchOptions {
  const forwarded = forwarder && { host: new URL(origin).host, ...forwarder.headers };
  return {
    method,
    path: forwarder === undefined ? target : origin + target,
    headers: { ...headers, ...forwarded, 'accept-encoding': 'gzip, deflate, br' },
    body: body === '' ? null : body,
  };
}

/** Sentences of common servers about a request without TLS at a port with TLS. */
const WANTS_TLS = /HTTP request (was sent )?to (an )?HTTPS|plain HTTP to an SSL/i;
/** Refusals of proxies: not allowed, login, no connection to the service, no answer of it. */
const PROXY_STATUSES: readonly number[] = [403, 407, 502, 504];

/** The failure that a response stands for: one of the proxy, or of a server that wants TLS. */
function failureIn(
  { status, body }: HttpResponse,
  forwarder: HttpProxy | undefined,
): TransportFailure | undefined {
  if (status === 400 && WANTS_TLS.test(body)) {
    const advice = 'Write https:// in source.url.';
    return new TransportFailure('protocol', 'the port wants TLS', undefined, advice);
  }
  // The service itself answers with JSON.
  const isOfProxy = status === 407 || !body.trimStart().startsWith('{');
  if (forwarder === undefined || !isOfProxy || !PROXY_STATUSES.includes(status)) return undefined;
  return proxyRefusal(forwarder, status);
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

async function decoded(raw: Buffer, encoding: string, maxBytes: number): Promise<Buffer> {
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

/** Without state between bodies, because it never decodes as a stream. */
const utf8 = new TextDecoder('utf-8', { fatal: true });

function asText(bytes: Buffer): string {
  try {
    return utf8.decode(bytes);
  } catch (error) {
    throw broken('the body is not UTF-8', error);
  }
}

function broken(message: string, cause?: unknown): TransportFailure {
  return new TransportFailure('broken-body', message, cause);
}
