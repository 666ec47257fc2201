import { request as requestByHttp } from 'node:http';
import { request as requestByHttps } from 'node:https';
import { buildConnector } from 'undici';
import { PROXY_ADVICE, TransportFailure } from './failures.ts';
import { type HttpProxy, namedProxy } from './proxy.ts';

export interface ConnectorOptions {
  readonly timeoutMs: number;
  /** undefined for a direct connection. */
  readonly proxy: HttpProxy | undefined;
}

/**
 * Opens the connections of a service with TLS, and those of streams: directly, or through a tunnel
 * of the proxy, which then sees the host name alone. undici's own ProxyAgent has no time limit for
 * a tunnel and no failures by status.
 */
export function connectorOf({ timeoutMs, proxy }: ConnectorOptions): buildConnector.connector {
  const connect = buildConnector({ timeout: timeoutMs });
  if (proxy === undefined) return connect;
  const { protocol, hostname, port } = new URL(proxy.origin);
  const request = protocol === 'https:' ? requestByHttps : requestByHttp;
  return (options, callback) => {
    const host = options.host ?? options.hostname;
    const path = /:\d+$/.test(host) ? host : `${host}:443`;
    const tunnel = request({
      method: 'CONNECT',
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? undefined : Number(port),
      path,
      headers: { host: path, ...proxy.headers },
      agent: false,
      timeout: timeoutMs,
    });
    tunnel.once('connect', ({ statusCode = 0 }, socket) => {
      tunnel.removeAllListeners('timeout');
      if (statusCode === 200 && options.protocol === 'http:') return callback(null, socket);
      if (statusCode === 200) return connect({ ...options, httpSocket: socket }, callback);
      socket.destroy();
      callback(proxyRefusal(proxy, statusCode), null);
    });
    tunnel.once('timeout', () => {
      tunnel.destroy(new TransportFailure('timeout', 'the proxy opened no tunnel in time'));
    });
    tunnel.once('error', (error) => callback(error, null));
    tunnel.end();
  };
}

/** The failure of a request that the proxy answered in place of the service. */
export function proxyRefusal(proxy: HttpProxy, status: number): TransportFailure {
  const named = namedProxy(proxy);
  if (status !== 407) {
    const message = `${named} answered HTTP ${status} in place of the service`;
    return new TransportFailure('proxy', message, undefined, PROXY_ADVICE);
  }
  const isGiven = proxy.headers['proxy-authorization'] !== undefined;
  const message = isGiven
    ? `${named} refused its user name and password`
    : `${named} wants a user name and a password`;
  const advice = `Write them in ${proxy.variable}, as in http://USER:PASSWORD@HOST:PORT.`;
  return new TransportFailure('proxy-login', message, undefined, advice);
}
