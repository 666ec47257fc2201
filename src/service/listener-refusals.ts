import type { IncomingMessage } from 'node:http';
import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { RefusalKind } from './errors.ts';
import type { ServiceRequest, ServiceResponse } from './exchange.ts';
import type { Answering } from './service.ts';
import type { StreamServer } from './stream-server.ts';

/** What a listener refuses before the service sees a request. */

/** What requests may call a service in `Host`. */
export interface Admitted {
  /** In lower case. */
  readonly names: ReadonlySet<string>;
  /** Whether the port has to be the one that is listened on; where none is named it is 80. */
  readonly needsOwnPort: boolean;
}

type Asked = Pick<ServiceRequest, 'method' | 'target'>;

export function askedBy({ method = '', url = '' }: IncomingMessage): Asked {
  return { method, target: url };
}

/** The refusal of a request that does not name this service. */
export function refusalOfHost(
  service: Answering,
  { names, needsOwnPort }: Admitted,
  request: IncomingMessage,
): ServiceResponse | undefined {
  const asked = askedBy(request);
  const [host = '', ...more] = request.headersDistinct['host'] ?? [];
  if (host === '' || more.length > 0) {
    return service.refuse('malformed-request', 'exactly one Host header is needed', asked);
  }
  if (!names.has(hostName(host))) {
    return service.refuse('wrong-host', 'this service goes by another name', asked);
  }
  if (!needsOwnPort || hostPort(host) === request.socket.localPort) return undefined;
  return service.refuse('wrong-host', 'this service has another port', asked);
}

/** No browser keeps a page from opening a WebSocket elsewhere, so its origin is looked at here. */
export function refusalOfStream(
  service: Answering,
  admitted: Admitted,
  streams: ReadonlyMap<string, StreamServer>,
  request: IncomingMessage,
): ServiceResponse | undefined {
  const { origin } = request.headers;
  const asked = askedBy(request);
  if (origin !== undefined && !admitted.names.has(hostName(origin.replace(/^[a-z]+:\/\//, '')))) {
    return service.refuse('wrong-host', 'pages of other services may not listen', asked);
  }
  if (!streams.has(asked.target)) {
    return service.refuse('unknown-path', 'there is no such stream', asked);
  }
  return refusalOfHost(service, admitted, request);
}

/** By Node's code for what went wrong; whatever is not named here is malformed. */
const REJECTIONS: Readonly<Record<string, RefusalKind>> = {
  HPE_HEADER_OVERFLOW: 'headers-too-large',
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
};

const MESSAGES: Partial<Record<RefusalKind, string>> = {
  'headers-too-large': 'the headers are too large',
  'request-timeout': 'the request did not come in time',
  'malformed-request': 'this is no HTTP request',
};

/** Answers bytes that are no whole request, and closes their connection. */
export function rejectBytes(
  service: Answering,
  error: NodeJS.ErrnoException,
  socket: Socket,
): void {
  const { code = '' } = error;
  if (code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const kind = REJECTIONS[code] ?? 'malformed-request';
  const nobody = { method: '', target: '' };
  rejectSocket(socket, service.refuse(kind, MESSAGES[kind] ?? 'no request', nobody));
}

/** Answers a request for a stream that is no handshake, with the versions that there are. */
export function rejectHandshake(
  service: Answering,
  wrong: string,
  socket: Socket,
  asked: Asked,
): void {
  const message = `this is no WebSocket handshake (${wrong})`;
  const { headers, ...refused } = service.refuse('wrong-handshake', message, asked);
  rejectSocket(socket, { ...refused, headers: { ...headers, 'sec-websocket-version': '13, 8' } });
}

/** Answers a socket that no response belongs to, and closes it. */
export function rejectSocket(socket: Socket, { status, headers, body }: ServiceResponse): void {
  socket.on('error', () => socket.destroy());
  const lines = Object.entries({
    ...headers,
    'content-length': String(Buffer.byteLength(body)),
    'x-content-type-options': 'nosniff',
    connection: 'close',
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  const head = `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}\r\n`;
  // A client that goes on sending must not keep the connection.
  socket.end(head + body, () => socket.destroy());
}

/** The name in a Host header, without its port and brackets. */
function hostName(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':')[0];
  return (name ?? '').toLowerCase();
}

/** The port in a Host header; undefined for what is none. */
function hostPort(host: string): number | undefined {
  const rest = host.replace(/^(\[[^\]]*\]|[^:]*)/, '');
  if (rest === '') return 80;
  return /^:[0-9]{1,5}$/.test(rest) ? Number(rest.slice(1)) : undefined;
}
