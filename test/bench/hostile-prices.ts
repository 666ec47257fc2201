import type { ChainSize } from '../hostile/chain.ts';
import { type ListKind, type Lists, listAt, type Params } from '../hostile/lists.ts';
import type { PipelineName } from '../hostile/pipelines.ts';
import { listsOf, play } from '../hostile/play.ts';

/**
 * Requests that an honest service gets, by the size of the lists: the same table from two versions
 * of windrow shows what a mend costs. `least` is one request for each list and one more for each
 * further page; requests for heads and block hashes are counted on neither side.
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
const ADDRESS = 'mainchain/address';
const WINDOW = 10_000;
const GROUP = 20;

interface Asked {
  readonly kind: ListKind;
  readonly params: Params;
  /** Keys of one request; windows where there are several, all heights for one. */
  readonly group: number;
}

const asked = (path: string, group: number, params: Params = {}): Asked => {
  return { kind: listAt(`${ADDRESS}/${path}`), params, group };
};
const tokens = (...types: readonly string[]): Asked[] =>
  types.map((protocolType) => asked('token-transaction-list', 1, { protocolType }));

const ASKED: Readonly<Partial<Record<PipelineName, readonly Asked[]>>> = {
  addresses: [
    asked('normal-transaction-list-multi', GROUP),
    asked('internal-transaction-list-multi', GROUP),
    ...tokens('token_20', 'token_721', 'token_1155', 'token_10'),
  ],
  history: [asked('normal-transaction-list', 1), ...tokens('token_20')],
};

/** One request for each list, and one more for each further page. */
function leastOf(lists: Lists, { kind, params, group }: Asked): number {
  const { addresses, head } = lists.chain;
  const blocks = group === 1 ? head + 1 : WINDOW;
  let requests = 0;
  for (let first = 0; first < addresses.length; first += group) {
    const entries = lists.ofKeys(kind, params, addresses.slice(first, first + group));
    for (let from = 0; from < head; from += blocks) {
      const to = Math.min(from + blocks, head);
      const listed = entries.filter(({ height }) => height >= from && height < to).length;
      requests += Math.max(1, Math.ceil(listed / kind.pageMax));
    }
  }
  return requests;
}

say('| lists | pipeline | rows | requests | least | ratio | sent |');
say('|---|---|--:|--:|--:|--:|---|');
for (const [name, pipeline, size] of SCENES) {
  const played = await play({ seed: 1, pipeline, size });
  const lists = listsOf(1, size);
  const least = (ASKED[pipeline] ?? []).reduce((sum, each) => sum + leastOf(lists, each), 0);
  let requests = 0;
  const parts: string[] = [];
  for (const [path, count] of played.requestsByPath) {
    if (!path.startsWith(ADDRESS)) continue;
    requests += count;
    parts.push(`${path.slice(ADDRESS.length + 1)} ${count}`);
  }
  const isRight = played.wrong === 0 && played.exit === 0;
  const rows = `${played.complete}${isRight ? '' : ` (${played.wrong} wrong, exit ${played.exit})`}`;
  const ratio = (requests / least).toFixed(2);
  const cells = [name, pipeline, rows, requests, least, ratio, parts.join(', ')];
  say(`| ${cells.join(' | ')} |`);
}
