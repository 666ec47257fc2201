import { createHash } from 'node:crypto';
import { Random } from './random.ts';
import type { Hostile, Wire } from './server.ts';

/** A service of crossings whose primary halves appear after their zone blocks are final. */

export const MAIN_LAG = 20;
export const ZONE_LAG = 50;
const BLOCKS = 2_000;
/** Zone blocks per primary block. */
const RATIO = 10;

interface Crossing {
  readonly height: number;
  readonly mainHeight: number;
  /** The zone head from which on the record is whole. */
  readonly wholeAt: number;
  /** Fields that lack their value, or have another one, until then. */
  readonly until: Readonly<Record<string, string>>;
  readonly isBatch: boolean;
}

const hex = (length: number, ...parts: readonly (string | number)[]): string =>
  `0x${createHash('sha256').update(parts.join(' ')).digest('hex').slice(0, length)}`;

const NO_HALF = { mainTxHash: '', mainBlockHeight: '', mainBlockTime: '' };

export class CrossingService implements Hostile {
  readonly requests = new Map<string, number>();
  /** Blocks that the chain grows by before each run; after the last one all records are whole. */
  readonly steps: readonly number[];
  /** Every status is the opposite one. */
  isReversed = false;
  readonly #crossings: readonly Crossing[];
  #head = BLOCKS + ZONE_LAG;

  constructor(seed: number) {
    const random = Random.keyed(seed, 'crossings');
    this.#crossings = Array.from({ length: random.between(3, 12) }, (_, i): Crossing => {
      const height = random.chance(0.3) ? 1_000 + (i % 3) : random.between(0, BLOCKS);
      const isBatch = random.chance(0.2);
      const until = random.pick<Readonly<Record<string, string>>>([
        {},
        NO_HALF,
        NO_HALF,
        { ...NO_HALF, status: '0x0' },
        { mainBlockHeight: '', mainBlockTime: '' },
        ...(isBatch ? [{ batchDetail: '' }] : []),
      ]);
      // Some primary blocks are not final when the zone block is.
      const late = random.chance(0.3) ? BLOCKS / RATIO : 0;
      const mainHeight = Math.floor(height / RATIO) + late;
      const wholeAt = BLOCKS + random.pick([0, 500, 2_000, 6_000]);
      return { height, mainHeight, wholeAt, until, isBatch };
    });
    this.steps = [0, random.between(1, 400), random.between(1, 3_000), 8_000, 20_000];
  }

  get crossings(): number {
    return this.#crossings.length;
  }

  grow(blocks: number): void {
    this.#head += blocks;
  }

  /** The rows that a lake of these lists has in the end, as text. */
  rows(lists: readonly string[]): string[] {
    const cells = (list: string, crossing: Crossing, i: number): string => {
      const batch = crossing.isBatch && list.endsWith('multi') ? '[1]' : '';
      const hashes = [hex(64, 'zone', i), hex(64, 'main', i)];
      return [list, crossing.height, ...hashes, crossing.mainHeight, '0x1', batch].join(' ');
    };
    return lists
      .flatMap((list) => this.#crossings.map((crossing, i) => cells(list, crossing, i)))
      .sort();
  }

  async answer(target: string): Promise<Wire> {
    const url = new URL(target, 'http://hostile');
    const path = url.pathname.slice('/api/v5/'.length);
    this.requests.set(path, (this.requests.get(path) ?? 0) + 1);
    const query = Object.fromEntries(url.searchParams);
    const body = JSON.stringify({ code: '0', msg: '', data: this.#data(path, query) });
    return { status: 200, headers: { 'content-type': 'application/json' }, body };
  }

  #data(path: string, query: Readonly<Record<string, string>>): unknown[] {
    const { height } = query;
    if (path === 'mainchain/zone/block/block-list') {
      return this.#blocks('data', 'zone', height, this.#head);
    }
    if (path === 'mainchain/block/block-list' || path === 'mainchain/block/block-fills') {
      const blocks = this.#blocks('blockList', 'main', height, Math.floor(this.#head / RATIO));
      return blocks.flatMap((block) => (path.endsWith('fills') ? block['blockList'] : block));
    }
    const records = this.#crossings.map((crossing, i) => this.#record(crossing, i, path));
    if (path === 'mainchain/zone/cross/transaction-multi') {
      const hashes = new Set(query['txId']?.split(','));
      return records.filter(({ zoneTxHash }) => hashes.has(zoneTxHash ?? ''));
    }
    const [from, to] = [
      Number(query['startBlockHeight'] ?? 0),
      Number(query['endBlockHeight'] ?? 9e9),
    ];
    const listed = records.filter((record) => {
      return Number(record['zoneBlockHeight']) >= from && Number(record['zoneBlockHeight']) <= to;
    });
    listed.sort((a, b) => Number(b['zoneBlockHeight']) - Number(a['zoneBlockHeight']));
    return paged('data', listed, query);
  }

  #blocks(list: string, chain: string, height: string | undefined, head: number): Page[] {
    const at = height === undefined ? head : Number(height);
    const block = {
      hash: hex(64, chain, 'block', at),
      height: String(at),
      blockTime: '1700000000000',
    };
    return paged(list, at > head ? [] : [block], { page: '1', limit: '1' });
  }

  #record(crossing: Crossing, i: number, path: string): Readonly<Record<string, string>> {
    const { height, mainHeight, wholeAt, until, isBatch } = crossing;
    const detail = {
      zoneEventIndex: String(i),
      zoneBlockHash: hex(64, 'zone', 'block', height),
      batchDetail: isBatch ? '[1]' : '',
      updateTime: String(1_700_000_000_000 + this.#head),
      blockHeight: String(height),
    };
    const whole: Readonly<Record<string, string>> = {
      id: '',
      txType: 'ZoneToMain',
      crossType: isBatch ? 'BatchWithdraw' : 'Withdraw',
      status: this.isReversed ? '0x0' : '0x1',
      mainTxHash: hex(64, 'main', i),
      mainBlockHeight: String(mainHeight),
      mainBlockTime: '1700000001000',
      zoneTxHash: hex(64, 'zone', i),
      zoneBlockHeight: String(height),
      zoneBlockTime: '1700000000000',
      from: hex(40, 'signer'),
      to: hex(40, 'bridge'),
      sourceAddress: hex(40, 'source', i % 3),
      targetAddress: hex(40, 'target', i % 3),
      value: '1.5',
      valueRaw: '1500000000000000000',
      tokenContractAddress: hex(40, 'token'),
      tokenType: 'ERC20',
      tokenId: '',
      tokenName: 'TOK',
      ...(path.endsWith('transaction-list') ? {} : detail),
    };
    if (this.#head - ZONE_LAG >= wholeAt) return whole;
    const names = Object.keys(until).filter((name) => name in whole);
    return { ...whole, ...Object.fromEntries(names.map((name) => [name, until[name] ?? ''])) };
  }
}

type Page = Readonly<Record<string, unknown>>;

function paged(
  list: string,
  records: readonly unknown[],
  query: Readonly<Record<string, string>>,
): Page[] {
  const [page, limit] = [Number(query['page'] ?? 1), Number(query['limit'] ?? 20)];
  const totalPage = String(Math.ceil(records.length / limit));
  const shown = records.slice((page - 1) * limit, page * limit);
  return [
    {
      page: String(page),
      limit: String(limit),
      totalPage,
      total: String(records.length),
      [list]: shown,
    },
  ];
}
