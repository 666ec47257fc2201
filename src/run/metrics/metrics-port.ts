import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Fault } from '../../fault.ts';
import { isCode } from '../../land/storage/disk.ts';
import type { MetricsAddress } from '../../pipeline/metrics-settings.ts';

export interface MetricsPort {
  readonly url: string;
  close(): Promise<void>;
}

const TYPE = 'text/plain; version=0.0.4; charset=utf-8';
const LOOPBACK = /^(127\.|::1$|localhost$)/;
/** Names of this machine in `Host`; any other could be that of a web page in a browser. */
const LOOPBACK_HOST = /^(127\.[0-9.]+|localhost|\[::1\])(:[0-9]+)?$/i;
const MOST_CONNECTIONS = 32;
const REQUEST_TIMEOUT_MS = 10_000;

/**
 * Serves `GET /metrics` with the text that `text` returns. Rejects with a Fault if the address is
 * not free. On the loopback, requests must name this machine in `Host`.
 */
export async function openMetricsPort(
  { host, port }: MetricsAddress,
  text: () => Promise<string>,
): Promise<MetricsPort> {
  const server = createServer({ requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => {
    const answer = (status: number, type: string, body: string): void => {
      response.writeHead(status, { 'content-type': type }).end(body);
    };
    const isForeign = LOOPBACK.test(host) && !LOOPBACK_HOST.test(request.headers.host ?? '');
    if (isForeign) return answer(403, 'text/plain', 'Unknown host.\n');
    const [path] = (request.url ?? '').split('?');
    if (request.method !== 'GET' || path !== '/metrics') {
      return answer(404, 'text/plain', 'See /metrics.\n');
    }
    text().then(
      (body) => answer(200, TYPE, body),
      () => answer(500, 'text/plain', 'The metrics cannot be read.\n'),
    );
  });
  server.maxConnections = MOST_CONNECTIONS;
  await once(server.listen(port, host), 'listening').catch((error: Error) => {
    throw faultOf(error, host, port);
  });
  // A run that has ended does not wait for this port.
  server.unref();
  const { address, port: boundPort, family } = server.address() as AddressInfo;
  return {
    url: `http://${family === 'IPv6' ? `[${address}]` : address}:${boundPort}/metrics`,
    async close() {
      const closed = once(server.close(), 'close');
      server.closeAllConnections();
      await closed;
    },
  };
}

function faultOf(error: Error, host: string, port: number): unknown {
  const where = `${host}:${port}`;
  if (isCode(error, 'EADDRINUSE')) {
    return new Fault('port-taken', 'Another program has the port for metrics.', {
      where,
      advice: 'Name another one: --metrics-port PORT, or metrics.listen in the pipeline.',
      cause: error,
    });
  }
  return new Fault('configuration', `Metrics cannot be served here: ${error.message}.`, {
    where,
    advice: 'Name an address of this machine and a free port, as in 127.0.0.1:9464.',
    cause: error,
  });
}
