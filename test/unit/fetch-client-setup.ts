import { endpointAt } from '../../src/catalogue/index.ts';
import type { CallFailure } from '../../src/fetch/call-failure.ts';
import { type ClientOptions, createClient } from '../../src/fetch/client.ts';
import { createPacer, type PacerOptions } from '../../src/fetch/pacer.ts';
import { Secret } from '../../src/fetch/signature.ts';
import {
  type HttpRequest,
  type HttpResponse,
  TransportFailure,
} from '../../src/fetch/transport.ts';
import { virtualClock } from '../virtual-clock.ts';

export const endpoint = endpointAt('mainchain/address/normal-transaction-list-multi');
export const query = { chainShortName: 'MAINCHAIN', address: '0x1,0x2', startBlockHeight: '10' };
export const options = { priority: 0 };
export const CANARY = 'canary-5f1d';
export const credentials = {
  accessKey: new Secret(`${CANARY}-access`),
  secretKey: new Secret(`${CANARY}-secret`),
  passphrase: new Secret(`${CANARY}-phrase`),
};
export const LATENCY_MS = 20;

export const json = (body: unknown, status = 200, headers = {}): HttpResponse => ({
  status,
  headers,
  body: JSON.stringify(body),
});
export const found = (...records: object[]): HttpResponse => {
  const page = { page: '1', limit: '20', totalPage: '1', transactionList: records };
  return json({ code: '0', msg: '', data: [page] });
};
export const refused = (code: string, msg = 'no', status = 200, headers = {}): HttpResponse =>
  json({ code, msg, data: [] }, status, headers);
export const lost = (kind: TransportFailure['kind'] = 'network'): never => {
  throw new TransportFailure(kind, `the connection met ${kind}`);
};

export type Answer = (request: HttpRequest, count: number) => HttpResponse;

/** A client of a source in memory, which answers after some virtual milliseconds. */
export function setUp(
  answer: Answer,
  more: Partial<ClientOptions> = {},
  pace: Partial<PacerOptions> = { startPerSecond: 100 },
) {
  const clock = virtualClock();
  const pacer = createPacer({ effects: clock, ...pace });
  const requests: (HttpRequest & { readonly atMs: number })[] = [];
  const client = createClient({
    transport: async (request, signal) => {
      requests.push({ ...request, atMs: clock.now() });
      const count = requests.length;
      await clock.sleep(LATENCY_MS, signal);
      return answer(request, count);
    },
    pacer,
    effects: clock,
    pathSegment: 'mainchain',
    headerPrefix: 'SVC-',
    concurrency: 8,
    ...more,
  });
  const call = (priority = 0) => client.call(endpoint, query, { priority });
  const fails = (work: Promise<unknown> = call()): Promise<CallFailure> =>
    clock.run(
      work.then(
        () => Promise.reject(new Error('did not fail')),
        (error) => error,
      ),
    );
  return { clock, client, pacer, requests, call, fails };
}
