import type { Endpoint } from '../../src/catalogue/entry.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import type { Caller, PageReply } from '../../src/fetch/http/caller.ts';
import { listedReply, type PlainReply } from '../fixtures/listed.ts';
import type { Chance } from './chance.ts';

/**
 * A chain of few transactions whose newest blocks may be replaced, and a service of it that is
 * written for tests alone: transactions by addresses, transactions by hash, and blocks.
 */

export const BY_ADDRESS = 'mainchain/address/normal-transaction-list-multi';
export const BY_HASH = 'mainchain/transaction/transaction-multi';
export const ADDRESSES = ['a', 'b', 'c', 'd'].map((digit) => `0x${digit.repeat(40)}`);

export interface Move {
  readonly hash: string;
  readonly height: number;
  readonly from: string;
  readonly to: string;
}

interface Block {
  readonly hash: string;
  readonly moves: readonly Move[];
}

export class ForkingChain implements Caller {
  readonly #chance: Chance;
  readonly #blocks: Block[] = [];
  #names = 0;
  /** Called before every answer. */
  before: () => void = () => undefined;
  requests = 0;

  constructor(chance: Chance) {
    this.#chance = chance;
  }

  get head(): number {
    return this.#blocks.length - 1;
  }

  grow(blocks: number): void {
    for (let i = 0; i < blocks; i += 1) this.#blocks.push(this.#newBlock());
  }

  /** Replaces the newest blocks; some of their transactions come again at other heights. */
  reorganise(depth: number): void {
    const gone = this.#blocks.splice(Math.max(0, this.#blocks.length - depth));
    const again = gone.flatMap(({ moves }) => moves).filter(() => this.#chance.is(0.5));
    for (let i = 0; i < gone.length; i += 1) {
      const block = this.#newBlock();
      const height = this.#blocks.length;
      const next = again[0] !== undefined && this.#chance.is(0.3) ? again.shift() : undefined;
      const mined = next === undefined ? [] : [{ ...next, height }];
      this.#blocks.push({ ...block, moves: [...block.moves, ...mined] });
    }
  }

  moves(): Move[] {
    return this.#blocks.flatMap(({ moves }) => moves);
  }

  #newBlock(): Block {
    const chance = this.#chance;
    const height = this.#blocks.length;
    const count = chance.is(0.03) ? chance.between(1, 4) : 0;
    const moves = Array.from({ length: count }, (): Move => {
      this.#names += 1;
      const hash = `0x${this.#names.toString(16).padStart(64, '0')}`;
      return { hash, height, from: chance.pick(ADDRESSES), to: chance.pick(ADDRESSES) };
    });
    this.#names += 1;
    return { hash: `0xb${this.#names.toString(16).padStart(63, '0')}`, moves };
  }

  async call(endpoint: Endpoint, query: Readonly<Record<string, string>>): Promise<PageReply> {
    this.requests += 1;
    this.before();
    return listedReply(endpoint, this.#reply(endpoint, query));
  }

  #reply(endpoint: Endpoint, query: Readonly<Record<string, string>>): PlainReply {
    switch (endpoint.path) {
      case BY_ADDRESS:
        return this.#byAddress(query);
      case BY_HASH:
        return { records: this.#byHash(String(query['txId']).split(',')) };
      case 'mainchain/block/block-fills':
        return { records: this.#blockAt(Number(query['height'])) };
      case 'mainchain/block/block-list':
        return { records: this.#blockAt(this.head), page: 1, limit: 1, totalPage: 1 };
      default:
        throw new Error(`${endpoint.path} is not served here`);
    }
  }

  #byAddress(query: Readonly<Record<string, string>>): PlainReply {
    const keys = String(query['address']).split(',');
    const [from, to] = [Number(query['startBlockHeight']), Number(query['endBlockHeight'])];
    const page = Number(query['page']);
    const limit = Number(query['limit']);
    const all = this.#blocks
      .slice(from, to + 1)
      .flatMap(({ moves }) => moves)
      .filter((move) => keys.includes(move.from) || keys.includes(move.to))
      .map(recordOf);
    const records = all.slice((page - 1) * limit, page * limit);
    const totalPage = Math.ceil(all.length / limit);
    return { records, page: totalPage === 0 ? 0 : page, limit, totalPage };
  }

  #byHash(hashes: readonly string[]): WireRecord[] {
    return this.moves()
      .filter(({ hash }) => hashes.includes(hash))
      .map((move) => ({ ...recordOf(move), state: 'success' }));
  }

  #blockAt(height: number): WireRecord[] {
    const block = this.#blocks[height];
    return block === undefined ? [] : [{ height: String(height), hash: block.hash }];
  }
}

function recordOf({ hash, height, from, to }: Move): WireRecord {
  return { txId: hash, height: String(height), from, to, amount: '1' };
}
