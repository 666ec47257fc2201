import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { createServer, STATUS_CODES } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { Effects } from '../../../src/effects.ts';
import { Fault } from '../../../src/fault.ts';
import { Refusal, type RefusalKind } from '../protocol/errors.ts';
import type { ServiceResponse } from '../protocol/exchange.ts';
import type { StreamServer } from '../stream/stream-server.ts';
import { deliver } from './listener-delivery.ts';
import type { HostRules, RequestTarget } from './listener-hosts.ts';
import { askedBy, refusalOfHost, refusalOfStream } from './listener-hosts.ts';
import type { Answering } from './service.ts';

export interface ListenOptions {
  /** Default 127.0.0.1: only this machine. */
  readonly host?: string;
  /** Default 0: any free one. */
  readonly port?: number;
  /** Names besides loopback and `host` that requests may use for this service. */
  readonly hostNames?: readonly string[];
  /**
   * Whether `Host` must also name the port that the service listens on. Default false: a service
   * may be behind another, forwarded port.
   */
  readonly needsOwnPort?: boolean;
  /** Time limit for receiving a request; half of it for the headers. Default 10,000. */
  readonly requestTimeoutMs?: number;
  /** Idle time after which a connection is closed, except for streams. Default 60,000. */
  readonly standstillMs?: number;
  /** Stream servers, by path, for connections that request a WebSocket. Default none. */
  readonly streams?: ReadonlyMap<string, StreamServer>;
  readonly effects: Effects;
}

export interface Listener {
  /** The service's address, without a trailing slash. */
  readonly url: string;
  /** Accepts no more requests, gives open ones one second to end, and frees the port. */
  close(): Promise<void>;
}

const MAX_BODY_BYTES = 1_048_576;
const MAX_HEADER_BYTES = 8_192;
const REQUEST_TIMEOUT_MS = 10_000;
const KEEP_ALIVE_MS = 30_000;
const TIMEOUT_CHECK_MS = 1_000;
/** Time limit for a connection without traffic, for example of a client that does not read. */
const STANDSTILL_MS = 60_000;
/** Further connections are closed at once. */
const MAX_CONNECTIONS = 1_024;
const CLOSING_GRACE_MS = 1_000;
const NO_STREAMS: ReadonlyMap<string, StreamServer> = new Map();
const LOOPBACK_NAMES = ['localhost', '127.0.0.1', '::1'];

/**
 * Serves on a port. Requests must name this service in `Host`, so that a web page cannot reach it
 * through a name of its own; no CORS origin is allowed. Rejects with a Fault('port-taken').
 */
export async function listen(service: Answering, options: ListenOptions): Promise<Listener> {
  const { host = '127.0.0.1', port = 0, hostNames = [], streams = NO_STREAMS, effects } = options;
  const { requestTimeoutMs = REQUEST_TIMEOUT_MS, standstillMs = STANDSTILL_MS } = options;
  const admitted: HostRules = {
    names: new Set([...LOOPBACK_NAMES, host, ...hostNames].map((name) => name.toLowerCase())),
    needsOwnPort: options.needsOwnPort === true,
  };
  const server = createServer({
    maxHeaderSize: MAX_HEADER_BYTES,
    headersTimeout: requestTimeoutMs / 2,
    requestTimeout: requestTimeoutMs,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: Math.min(TIMEOUT_CHECK_MS, requestTimeoutMs / 2),
    // The service refuses it with a code.
    requireHostHeader: false,
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.timeout = standstillMs;
  /** Connections whose answer is being computed: they are not idle, because their clients wait. */
  const waiting = new Set<Socket>();
  server.on('timeout', (socket) => {
    if (!waiting.has(socket)) socket.destroy();
  });
  server.on('request', (request, response) => {
    waiting.add(request.socket);
    respond(service, admitted, request)
      .finally(() => waiting.delete(request.socket))
      .then((answer) => send(response, answer, server.listening, effects))
      .catch((error: unknown) => {
        effects.log('debug', `A connection was dropped: ${String(error)}`);
        response.destroy();
      });
  });
  server.on('checkExpectation', (request, response) => {
    const message = 'the only supported expectation is 100-continue';
    const refused = service.refuse('wrong-expectation', message, askedBy(request));
    send(response, refused, false, effects).catch(() => response.destroy());
  });
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    rejectBytes(service, error, socket);
  });
  if (streams.size > 0) {
    server.on('upgrade', (request: IncomingMessage, socket: Socket, head: Buffer) => {
      const line = askedBy(request);
      const refused = refusalOfStream(service, admitted, streams, request);
      if (refused !== undefined) {
        rejectSocket(socket, refused);
        return;
      }
      const wrong = streams.get(line.target)?.accept(request, socket, head);
      if (wrong === undefined) service.streamed?.(line);
      else rejectHandshake(service, wrong, socket, line);
    });
  }
  await bound(server, host, port);
  // For example no file descriptor for a connection: the next connection may have one.
  server.on('error', (error) => {
    effects.log('warn', `A connection could not be accepted: ${String(error)}`);
  });
  const { port: chosen } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${name}:${chosen}`, close: () => closed(server, streams, effects) };
}

async function respond(
  service: Answering,
  admitted: HostRules,
  request: IncomingMessage,
): Promise<ServiceResponse> {
  const line = askedBy(request);
  const misled = refusalOfHost(service, admitted, request);
  if (misled !== undefined) return misled;
  try {
    const body = textOf(await bodyOf(request));
    return await service.answer({ ...line, headers: singleHeaders(request), body });
  } catch (error) {
    if (error instanceof Refusal) return service.refuse(error.kind, error.message, line);
    throw error;
  }
}

/** Refusals by Node's error code; all other errors count as malformed. */
const REJECTIONS: Readonly<Record<string, RefusalKind>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

const MESSAGES: Partial<Record<RefusalKind, string>> = {
  'headers-too-large': 'the headers are too large',
  'request-timeout': 'the request did not arrive in time',
  'malformed-request': 'this is not an HTTP request',
};

/** Answers bytes that are not a whole request, and closes their connection. */
function rejectBytes(service: Answering, error: NodeJS.ErrnoException, socket: Socket): void {
  const { code = '' } = error;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const kind = REJECTIONS[code] ?? 'malformed-request';
  const noRequest = { method: '', target: '' };
  rejectSocket(socket, service.refuse(kind, MESSAGES[kind] ?? 'no request', noRequest));
}

/** Answers a stream request that is not a handshake, and lists the supported versions. */
function rejectHandshake(
  service: Answering,
  wrong: string,
  socket: Socket,
  line: RequestTarget,
): void {
  const message = `this is not a WebSocket handshake (${wrong})`;
  const { headers, ...refused } = service.refuse('wrong-handshake', message, line);
  rejectSocket(socket, { ...refused, headers: { ...headers, 'sec-websocket-version': '13, 8' } });
}

/** Answers on a socket without a response object, and closes it. */
function rejectSocket(socket: Socket, { status, headers, body }: ServiceResponse): void {
  socket.on('error', () => socket.destroy());
  const lines = Object.entries({
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  // A client that keeps sending must not keep the connection open.
  socket.end(head + body, () => socket.destroy());
}

/** Bytes that are not UTF-8 would decode to another text than the signed one. */
function textOf(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body);
  } catch {
    throw new Refusal('malformed-body', 'the body is not UTF-8');
  }
}

/**
 * The whole body. The rest of a body that is too large stays unread: reading on would keep the
 * service busy, and destroying the stream would also destroy the answer.
 */
function bodyOf(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    request.on('error', reject);
    request.on('end', () => resolve(Buffer.concat(chunks)));
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

function send(
  response: ServerResponse,
  answer: ServiceResponse,
  stays: boolean,
  effects: Effects,
): Promise<void> {
  const begin = (bytes: number): void => {
    response.writeHead(answer.status, {
      'content-length': bytes,
      'x-content-type-options': 'nosniff',
      ...answer.headers,
      // The rest of a refused body is unread, so its connection cannot be reused.
      ...(stays && answer.status !== 413 ? {} : { connection: 'close' }),
    });
    if (answer.delivery !== undefined) response.flushHeaders();
  };
  return deliver(response, answer, begin, effects);
}

function bound(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (cause: NodeJS.ErrnoException): void => {
      reject(cause.code === 'EADDRINUSE' ? portTaken(host, port, cause) : cause);
    };
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
}

function portTaken(host: string, port: number, cause: Error): Fault {
  return new Fault('port-taken', `Port ${port} is in use.`, {
    where: `${host}:${port}`,
    advice: 'Name another port, or port 0 for any free one.',
    cause,
  });
}

async function closed(
  server: Server,
  streams: ReadonlyMap<string, StreamServer>,
  effects: Effects,
): Promise<void> {
  for (const stream of streams.values()) stream.close();
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
