import type { ServiceRequest, ServiceResponse } from '../protocol/exchange.ts';
import type { Answering } from './service.ts';

/** Whether a request is meant for this service, according to its headers. */

/** The names by which requests may address a service in `Host`. */
export interface HostRules {
  /** In lower case. */
  readonly names: ReadonlySet<string>;
  /** Whether the port must be the one that the service listens on; an absent port means 80. */
  readonly needsOwnPort: boolean;
}

export type RequestTarget = Pick<ServiceRequest, 'method' | 'target'>;

/** A request as it arrived: the members of Node's request that are used here. */
export interface ArrivedRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: { readonly origin?: string | undefined };
  /** Every value of a header, by its name in lower case. */
  readonly headersDistinct: Readonly<Record<string, readonly string[] | undefined>>;
  readonly socket: { readonly localPort?: number | undefined };
}

export function askedBy({ method = '', url = '' }: ArrivedRequest): RequestTarget {
  return { method, target: url };
}

/** The refusal of a request that does not name this service. */
export function refusalOfHost(
  service: Answering,
  { names, needsOwnPort }: HostRules,
  request: ArrivedRequest,
): ServiceResponse | undefined {
  const line = askedBy(request);
  const [host = '', ...more] = request.headersDistinct['host'] ?? [];
  if (host === '' || more.length > 0) {
    return service.refuse('malformed-request', 'exactly one Host header is needed', line);
  }
  if (!names.has(hostName(host))) {
    return service.refuse('wrong-host', 'the Host header names another service', line);
  }
  if (!needsOwnPort || hostPort(host) === request.socket.localPort) return undefined;
  return service.refuse('wrong-host', 'the Host header names another port', line);
}

/** Browsers let a page open a WebSocket to any host, so the request's origin is checked here. */
export function refusalOfStream(
  service: Answering,
  admitted: HostRules,
  streams: ReadonlyMap<string, unknown>,
  request: ArrivedRequest,
): ServiceResponse | undefined {
  const { origin } = request.headers;
  const line = askedBy(request);
  if (origin !== undefined && !admitted.names.has(hostName(origin.replace(/^[a-z]+:\/\//, '')))) {
    return service.refuse('wrong-host', 'pages of other origins may not open this stream', line);
  }
  if (!streams.has(line.target)) {
    return service.refuse('unknown-path', 'there is no such stream', line);
  }
  return refusalOfHost(service, admitted, request);
}

/** The name in a Host header, without its port and brackets. */
function hostName(host: string): string {
  const name = host.startsWith('[') ? host.slice(1, host.indexOf(']')) : host.split(':')[0];
  return (name ?? '').toLowerCase();
}

/** The port in a Host header; undefined if it is not a port. */
function hostPort(host: string): number | undefined {
  const rest = host.replace(/^(\[[^\]]*\]|[^:]*)/, '');
  if (rest === '') return 80;
  return /^:[0-9]{1,5}$/.test(rest) ? Number(rest.slice(1)) : undefined;
}
