import { createHmac } from 'node:crypto';
import { createServer } from 'node:http';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { connect } from '../../../../src/fetch/connect.ts';
import { parsePipeline } from '../../../../src/pipeline/read-pipeline.ts';
import { systemEffects } from '../../../../src/system.ts';
import { credentials, endpoint, options, query } from '../../../fixtures/fetch-client-setup.ts';
import { portOf, whenOver } from '../../../fixtures/when-over.ts';

/**
 * Goal: requests are granted whatever the local clock shows. The server here shares no code with
 * ours: it checks the signature and grants timestamps within 30 s of its own clock.
 */

const WINDOW_MS = 30_000;
const SECOND = 1000;
const HOUR = 3600 * SECOND;
const DAY = 24 * HOUR;

const seen = { granted: 0, expired: 0, forged: 0, replayed: 0 };
const signatures = new Set<string>();

const server = createServer((request, response) => {
  const header = (name: string): string => String(request.headers[`svc-access-${name}`] ?? '');
  const timestamp = header('timestamp');
  const signed = createHmac('sha256', credentials.secretKey.reveal())
    .update(`${timestamp}GET${request.url}`)
    .digest('base64');
  const answer = (status: number, body: object): void => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
  if (signed !== header('sign')) {
    seen.forged += 1;
    answer(401, { code: '50113', msg: 'signature', data: [] });
  } else if (Math.abs(Date.parse(timestamp) - Date.now()) > WINDOW_MS) {
    seen.expired += 1;
    answer(401, { code: '50102', msg: 'timestamp', data: [] });
  } else if (signatures.has(signed)) {
    seen.replayed += 1;
    answer(401, { code: '50113', msg: 'replay', data: [] });
  } else {
    signatures.add(signed);
    seen.granted += 1;
    const page = { page: '1', limit: '20', totalPage: '1', transactionList: [] };
    answer(200, { code: '0', msg: '', data: [page] });
  }
});

const SOURCE = `version: 1
name: clock
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  rate: { startPerSecond: 1000, maxPerSecond: 1000 }
keys: { all: { list: ["0x0000000000000000000000000000000000000000"] } }
datasets:
  transactions: [{ endpoint: mainchain/address/normal-transaction-list-multi, keys: all }]
`;

let url = '';
beforeAll(async () => {
  url = `http://127.0.0.1:${await portOf(server)}`;
});
beforeEach(() => {
  signatures.clear();
  Object.assign(seen, { granted: 0, expired: 0, forged: 0, replayed: 0 });
});

const OFFSETS: readonly (readonly [string, number])[] = [
  ['a day ahead', DAY],
  ['an hour ahead', HOUR],
  ['40 s ahead', 40 * SECOND],
  ['20 s ahead', 20 * SECOND],
  ['right', 0],
  ['20 s behind', -20 * SECOND],
  ['40 s behind', -40 * SECOND],
  ['an hour behind', -HOUR],
  ['a day behind', -DAY],
];

describe('a clock that is', () => {
  it.each(OFFSETS)('%s is corrected once, and every request is granted', async (_, offsetMs) => {
    const logged: string[] = [];
    const real = systemEffects('warn');
    const effects = {
      ...real,
      now: () => real.now() + offsetMs,
      log: (_level: string, message: string) => void logged.push(message),
    };
    const { source } = parsePipeline({ text: SOURCE, file: 'clock.yaml' });
    const connection = connect({ ...source, url }, credentials, undefined, effects);
    whenOver(() => connection.close());
    // The same target several times concurrently, and then again: each has a different time.
    const call = () => connection.caller.call(endpoint, query, options);
    await Promise.all([call(), call(), call()]);
    for (let i = 0; i < 3; i += 1) await call();
    const isFar = Math.abs(offsetMs) > WINDOW_MS;
    expect(seen).toMatchObject({ granted: 6, forged: 0, replayed: 0 });
    expect(seen.expired > 0).toBe(isFar);
    expect(seen.expired).toBeLessThanOrEqual(3);
    expect(logged).toHaveLength(isFar ? 1 : 0);
  });
});
