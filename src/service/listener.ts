import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Effects } from '../effects.ts';
import { Fault } from '../fault.ts';
import { Refusal } from './errors.ts';
import type { ServiceResponse } from './exchange.ts';
import { refused } from './exchange.ts';
import type { Service } from './service.ts';

export interface ListenOptions {
  /** Default 127.0.0.1: only this machine. */
  readonly host?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Names beside loopback and `host` that requests may use for this service. */
  readonly hostNames?: readonly string[];
  /** A request must have come in by then, its headers in half the time. Default 10,000. */
  readonly requestTimeoutMs?: number;
  readonly effects: Effects;
}

export interface Listener {
  /** Where the service is reached, without a trailing slash. */
  readonly url: string;
  /** Takes no more requests, lets open ones end within a second, and frees the port. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1_048_576;
const MAX_HEADER_BYTES = 8_192;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
const TIMEOUT_CHECK_MS = 1_000;
const CLOSING_GRACE_MS = 1_000;
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/**
 * Serves on a port. Requests must name this service in `Host`, so that a web page cannot reach it
 * through a name of its own; no origin is allowed anything. Rejects with a Fault('port-taken').
 */
export async function listen(service: Service, options: ListenOptions): Promise<Listener> {
  const { host = '127.0.0.1', port = 0, hostNames = [], effects } = options;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS } = options;
  const allowed = new Set([...LOOPBACK_NAMES, host.toLowerCase(), ...hostNames]);
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestTimeoutMs / 2,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, requestTimeoutMs / 2),
  });
  server.on('request', (request, response) => {
    respond(service, allowed, request)
      .then((answer) => send(response, answer, server.listening))
      .catch((error: unknown) => {
        effects.log('warn', `A connection was dropped: ${String(error)}`);
        response.destroy();
      });
  });
  await bound(server, host, port);
  const { port: chosen } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${chosen}`, close: () => closed(server, effects) };
}

async function respond(
  service: Service,
  allowed: ReadonlySet<string>,
  request: IncomingMessage,
): Promise<ServiceResponse> {
  if (!allowed.has(hostName(request.headers.host ?? ''))) {
    return refused('wrong-host', 'this service goes by another name');
  }
  try {
    const body = await bodyOf(request);
    return await service.answer({
      method: request.method ?? '',
      target: request.url ?? '',
      headers: singleHeaders(request),
      body,
    });
  } catch (error) {
    if (error instanceof Refusal) return refused(error.kind, error.message);
    throw error;
  }
}

/** The name in a Host header, without its port and brackets. */
function hostName(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':')[0];
  return (name ?? '').toLowerCase();
}

/**
 * The whole body. A body that is too large is left unread: reading on would let a client keep the
 * service busy, and destroying the stream would take the answer down with it.
 */
function bodyOf(request: IncomingMessage): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('error', reject);
    request.on('end', () => resolve(Buffer.concat(chunks).toString('utf8')));
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (bytes <= MAX_BODY_BYTES) {
        chunks.push(chunk);
        return;
      }
      request.pause();
      reject(new Refusal('body-too-large', 'the body is too large'));
    });
  });
}

function singleHeaders(request: IncomingMessage): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(', ') : value,
    ]),
  );
}

function send(response: ServerResponse, answer: ServiceResponse, stays: boolean): void {
  response.writeHead(answer.status, {
    'content-length': Buffer.byteLength(answer.body),
    'x-content-type-options': 'nosniff',
    ...answer.headers,
    // The rest of a body that was refused is not read, so its connection cannot go on.
    ...(stays && answer.status !== 413 ? {} : { connection: 'close' }),
  });
  response.end(answer.body);
}

function bound(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      reject(cause.code === 'EADDRINUSE' ? portTaken(host, port, cause) : cause);
    });
    server.listen(port, host, () => resolve());
  });
}

function portTaken(host: string, port: number, cause: Error): Fault {
  return new Fault('port-taken', `Port ${port} is in use.`, {
    where: `${host}:${port}`,
    advice: 'Name another port, or port 0 for any free one.',
    cause,
  });
}

async function closed(server: Server, effects: Effects): Promise<void> {
  const done = new Promise<void>((resolve) => server.close(() => resolve()));
  const finished = new AbortController();
  const grace = effects
    .sleep(CLOSING_GRACE_MS, finished.signal)
    .then(() => server.closeAllConnections())
    .catch(() => {});
  await done;
  finished.abort();
  await grace;
}
