import type { ChainSize } from '../hostile/chain.ts';
import type { PipelineName } from '../hostile/pipelines.ts';
import { play } from '../hostile/play.ts';

/**
 * Requests that an honest service gets, by the size of the lists: the same table from two versions
 * of windrow shows what a mend costs. `least` is one request for each list that is asked whole and
 * one more for each further page, without look-ups, heads and block hashes.
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql node_modules/.bench && node node_modules/.bench/test/bench/hostile-prices.js
 */

const NONE = { bursts: 0, burstRecords: 0 };
const dense = (transactions: number): ChainSize => {
  return { head: 10_000, addresses: 5, transactions, ...NONE };
};

const SCENES: readonly (readonly [name: string, pipeline: PipelineName, size: ChainSize])[] = [
  [
    'sparse addresses, 20 windows',
    'addresses',
    { head: 199_999, addresses: 40, transactions: 1200, ...NONE },
  ],
  [
    'sparse addresses, free intervals',
    'history',
    { head: 199_999, addresses: 40, transactions: 1200, ...NONE },
  ],
  [
    'lists of several pages',
    'history',
    { head: 29_999, addresses: 10, transactions: 6000, ...NONE },
  ],
  [
    'lists of several pages, with bursts',
    'history',
    { head: 29_999, addresses: 10, transactions: 5000, bursts: 8, burstRecords: 200 },
  ],
  ...[50, 100, 200, 500, 1000, 3000, 10_000].map(
    (records) => [`${records} records in one window`, 'addresses', dense(records)] as const,
  ),
  [
    '3000 records and bursts in one window',
    'addresses',
    { head: 10_000, addresses: 5, transactions: 2400, bursts: 6, burstRecords: 180 },
  ],
];

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const SHORT: Readonly<Record<string, string>> = {
  'normal-transaction-list-multi': 'transactions by window',
  'normal-transaction-list': 'transactions by address',
  'internal-transaction-list-multi': 'internal by window',
  'token-transaction-list': 'tokens by address',
};

say('| lists | pipeline | rows | requests | of them |');
say('|---|---|--:|--:|---|');
for (const [name, pipeline, size] of SCENES) {
  const { complete, wrong, exit, requests, requestsByPath } = await play({
    seed: 1,
    pipeline,
    size,
  });
  const parts = [...requestsByPath].map(([path, count]) => {
    const last = path.split('/').at(-1) ?? path;
    return `${SHORT[last] ?? last} ${count}`;
  });
  const wrongly = wrong === 0 && exit === 0 ? '' : ` (${wrong} wrong, exit ${exit})`;
  say(`| ${name} | ${pipeline} | ${complete}${wrongly} | ${requests} | ${parts.join(', ')} |`);
}
