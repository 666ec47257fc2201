import { createHash } from 'node:crypto';
import { pageIn, type RecordIndex, recordIndex } from '../../service/src/memory/record-index.ts';
import {
  DEFAULT_NAMES,
  type Found,
  type Query,
  type Source,
} from '../../service/src/protocol/source.ts';
import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import { addressesAsked, exportLake, serve, temporaryRoot } from '../e2e/harness.ts';
import { Chance } from '../model/chance.ts';

/**
 * What it costs to export sparse addresses, against the least that any plan could pay: the cheapest
 * declared list of every dataset, one request for every slice and one more for every further page,
 * free intervals where a list takes them, groups of 20 in windows of 10,000 blocks where it does
 * not, and one request for the head. And what one more address costs afterwards. Prints the ratio
 * against the limit of 1.15.
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql node_modules/.bench &&
 *       node node_modules/.bench/test/bench/price.js [addresses] [blocks]
 */

const LIMIT = 1.15;
const [addressCount = 1000, blocks = 5_000_000] = process.argv.slice(2).map(Number);
const HEAD = blocks - 1;
const BLOCK_MS = 12_000;
const START_MS = 1_640_000_000_000;
const YEAR_BLOCKS = Math.floor((365 * 86_400_000) / BLOCK_MS);
const PAGE = 100;
const WINDOW = 10_000;
const GROUP = 20;

const chance = new Chance(20_261_121);
const addressOf = (i: number): string =>
  `0x${createHash('sha256').update(`address ${i}`).digest('hex').slice(0, 40)}`;
const addresses = Array.from({ length: addressCount + 1 }, (_, i) => addressOf(i));
const hashOf = (i: number | string): string =>
  `0x${createHash('sha256').update(`hash ${i}`).digest('hex')}`;

type Dataset = 'transactions' | 'internal_transactions' | 'token_transfers';

/** A few records of every address, in the order of their heights; one address in fifty is busy. */
function recordsOf(dataset: Dataset): CanonicalRecord[] {
  const records: { readonly height: number; readonly record: CanonicalRecord }[] = [];
  for (const address of addresses) {
    const most = chance.is(0.02) ? 600 : 60;
    for (let left = chance.between(0, most); left > 0; left -= 1) {
      const height = chance.between(0, HEAD - 1);
      const other = addressOf(-1 - chance.between(0, 10_000));
      const isSent = chance.is(0.5);
      records.push({
        height,
        record: {
          tx_hash: hashOf(`${dataset} ${records.length}`),
          block_number: String(height),
          block_time: String(START_MS + height * BLOCK_MS),
          from_address: isSent ? address : other,
          to_address: isSent ? other : address,
          amount: '1',
          ...(dataset === 'token_transfers'
            ? { token_address: addressOf(-20_000), token_standard: 'token_20', token_id: '' }
            : {}),
        },
      });
    }
  }
  records.sort((a, b) => a.height - b.height);
  return records.map(({ record }) => record);
}

const held: Readonly<Record<Dataset, readonly CanonicalRecord[]>> = {
  transactions: recordsOf('transactions'),
  internal_transactions: recordsOf('internal_transactions'),
  token_transfers: recordsOf('token_transfers'),
};

/** A block at every height, computed when it is asked for. */
const blockIndex: RecordIndex = {
  newest: HEAD,
  record: (height) => ({
    block_number: String(height),
    block_hash: hashOf(height),
    block_time: String(START_MS + height * BLOCK_MS),
  }),
  match: ({ interval }) => {
    const from = Math.max(0, interval.from);
    const to = Math.min(HEAD, interval.to);
    return { length: Math.max(0, to - from + 1), at: (index) => from + index };
  },
};

function source(): Source {
  const indexes = new Map<string, RecordIndex>([['blocks', blockIndex]]);
  for (const [name, records] of Object.entries(held)) indexes.set(name, recordIndex(name, records));
  const find = (query: Query): Found => {
    const index = indexes.get(query.dataset);
    return index === undefined ? { total: 0, records: [] } : pageIn(index, query);
  };
  return {
    names: DEFAULT_NAMES,
    head: (axis) => (axis === 'primary' ? HEAD : -1),
    find,
    newest: (asked) => find({ ...asked, offset: 0, count: 1 }).records[0],
  };
}

const PIPELINE = `version: 1
name: price
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  credentials: none
  finalityLagBlocks: 0
  rate: { startPerSecond: 5000, maxPerSecond: 5000 }
keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
blocks: { from: 0, to: safe }
commit: { rows: 200000, slices: 5000, seconds: 60 }
datasets:
  transactions:
    - endpoint: mainchain/address/normal-transaction-list-multi
      keys: addresses
      alternatives: [mainchain/address/normal-transaction-list]
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20] }
`;

const pages = (records: number): number => Math.max(1, Math.ceil(records / PAGE));

/** Records of each address between two heights. */
function countsIn(dataset: Dataset, from: number, to: number): Map<string, number[]> {
  const heights = new Map<string, number[]>();
  for (const record of held[dataset]) {
    const height = Number(record['block_number']);
    if (height < from || height > to) continue;
    for (const party of [record['from_address'], record['to_address']]) {
      heights.set(String(party), [...(heights.get(String(party)) ?? []), height]);
    }
  }
  return heights;
}

/** One request an address, and one more for every further page. */
function freeBound(dataset: Dataset, keys: readonly string[], from: number, to: number): number {
  const counts = countsIn(dataset, from, to);
  return keys.reduce((sum, key) => sum + pages(counts.get(key)?.length ?? 0), 0);
}

/** One request a window and group of 20, and one more for every further page. */
function windowBound(dataset: Dataset, keys: readonly string[], from: number, to: number): number {
  const counts = countsIn(dataset, from, to);
  const windows = Math.floor(to / WINDOW) - Math.floor(from / WINDOW) + 1;
  let bound = 0;
  for (let start = 0; start < keys.length; start += GROUP) {
    const inWindow = new Array<number>(windows).fill(0);
    for (const key of keys.slice(start, start + GROUP)) {
      for (const height of counts.get(key) ?? []) {
        const window = Math.floor(height / WINDOW) - Math.floor(from / WINDOW);
        inWindow[window] = (inWindow[window] ?? 0) + 1;
      }
    }
    bound += inWindow.reduce((sum, records) => sum + pages(records), 0);
  }
  return bound;
}

function boundOf(keys: readonly string[]): number {
  const last = HEAD - 1;
  const reach = Math.max(0, HEAD - YEAR_BLOCKS);
  const old = reach === 0 ? 0 : windowBound('transactions', keys, 0, reach - 1);
  const year = Math.min(
    freeBound('transactions', keys, reach, last),
    windowBound('transactions', keys, reach, last),
  );
  const internal = windowBound('internal_transactions', keys, 0, last);
  const tokens = freeBound('token_transfers', keys, 0, last);
  return old + year + internal + tokens + 1;
}

const served = await serve(source());
const { root, remove } = await temporaryRoot();
const print = (cells: readonly string[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

async function measure(name: string, asked: readonly string[], fresh: readonly string[]) {
  served.targets.length = 0;
  const startedMs = performance.now();
  const ran = await exportLake({ url: served.url, root, addresses: asked, text: PIPELINE });
  const seconds = (performance.now() - startedMs) / 1000;
  const bound = boundOf(fresh);
  const sent = served.targets.length;
  const others = [...addressesAsked(served.targets)].filter((key) => !fresh.includes(key)).length;
  const ratio = sent / bound;
  print([
    name,
    String(ran.estimate.total.requests),
    String(sent),
    String(bound),
    `${ratio.toFixed(3)}${ratio > LIMIT ? ' !' : ''}`,
    String(others),
    seconds.toFixed(0),
  ]);
}

try {
  print([
    'run',
    'planned',
    'sent',
    'least',
    `ratio (limit ${LIMIT})`,
    'other keys asked',
    'seconds',
  ]);
  print(Array.from({ length: 7 }, () => '---'));
  const first = addresses.slice(0, addressCount);
  await measure(`${addressCount} addresses, ${blocks} blocks`, first, first);
  await measure('one address more', addresses, addresses.slice(addressCount));
} finally {
  await served.close();
  await remove();
}
