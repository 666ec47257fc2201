import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { endpointAt } from '../../src/catalogue/index.ts';
import type { WireRecord } from '../../src/catalogue/record.ts';
import { decode } from '../../src/land/decode.ts';
import { localDisk } from '../../src/land/disk.ts';
import { type Lake, openLake } from '../../src/land/lake.ts';
import { type Answer, type QueryLimits, query } from '../../src/load/query.ts';
import { type Published, publishWarehouse } from '../../src/load/warehouse.ts';
import type { Status } from '../../src/plan/coverage.ts';
import { variant } from '../../src/plan/slice.ts';
import { quietEffects } from '../quiet-effects.ts';

export const TRANSACTIONS = 'mainchain/address/normal-transaction-list-multi';
export const INTERNAL = 'mainchain/address/internal-transaction-list-multi';
export const TOKENS = 'mainchain/address/token-transaction-list';

/** A walk as a test says it: all of blocks 0 to 99, complete, unless told otherwise. */
export interface Walked {
  readonly keys: readonly string[];
  readonly params?: Readonly<Record<string, string>>;
  readonly from?: number;
  readonly to?: number;
  readonly status?: Status;
  readonly reason?: string;
  readonly readAtMs?: number;
  readonly records?: readonly WireRecord[];
}

/** A lake in a folder of its own, filled through commits and asked through its warehouse. */
export class SmallLake {
  readonly root: string;
  readonly lake: Lake;

  private constructor(root: string, lake: Lake) {
    this.root = root;
    this.lake = lake;
  }

  static async open(root?: string): Promise<SmallLake> {
    const folder = root ?? (await mkdtemp(join(tmpdir(), 'windrow-load-')));
    const lake = await openLake({
      root: folder,
      chain: 'MAINCHAIN',
      run: 'test',
      effects: quietEffects(),
      disk: localDisk,
    });
    return new SmallLake(folder, lake);
  }

  async land(path: string, ...walks: readonly Walked[]): Promise<void> {
    const endpoint = endpointAt(path);
    await this.lake.table(endpoint.dataset).commit(
      walks.map((walk) => {
        const asked = variant(walk.params ?? {});
        const { rows, broken } = decode(endpoint, asked, walk.records ?? []);
        if (broken.length > 0) throw new Error(broken[0]?.reason);
        const claim = {
          endpoint: path,
          variant: asked.id,
          keys: walk.keys,
          interval: { from: walk.from ?? 0, to: walk.to ?? 99 },
          status: walk.status ?? 'complete',
          reason: walk.reason ?? '',
          head: 1000,
          readAtMs: walk.readAtMs ?? 1_700_000_000_000,
          generation: 0,
        };
        return { claim, records: rows, slice: 'test' };
      }),
    );
  }

  publish(): Promise<Published> {
    return publishWarehouse({ lake: this.lake, effects: quietEffects(), disk: localDisk });
  }

  ask(sql: string, limits?: QueryLimits): Promise<Answer> {
    return query(this.lake.layout.warehouse, sql, limits);
  }

  /** Rows as arrays of their values. */
  async rows(sql: string): Promise<unknown[][]> {
    const { rows } = await this.ask(sql);
    return rows.map((row) => Object.values(row));
  }

  async close(): Promise<void> {
    this.lake.close();
    await rm(this.root, { recursive: true, force: true });
  }
}

/** A normal transaction of block 10 from 0xa to 0xb, unless told otherwise. */
export function transaction(more: WireRecord = {}): WireRecord {
  return {
    txId: '0x01',
    blockHash: '0xb10c',
    height: '10',
    transactionTime: '1700000000123',
    from: '0xa',
    to: '0xb',
    isFromContract: false,
    isToContract: false,
    amount: '1.5',
    methodId: '',
    symbol: 'ETH',
    nonce: '7',
    gasUsed: '21000',
    gasLimit: '21000',
    gasPrice: '1000000000',
    txFee: '0.000021',
    transactionType: '2',
    ...more,
  };
}

export function internal(more: WireRecord = {}): WireRecord {
  return {
    txId: '0x01',
    blockHash: '0xb10c',
    height: '10',
    transactionTime: '1700000000123',
    operation: 'call',
    from: '0xa',
    to: '0xb',
    isFromContract: true,
    isToContract: true,
    amount: '2',
    ...more,
  };
}

export function transfer(more: WireRecord = {}): WireRecord {
  return {
    txId: '0x01',
    blockHash: '0xb10c',
    height: '10',
    transactionTime: '1700000000123',
    from: '0xa',
    to: '0xb',
    tokenContractAddress: '0x70',
    isFromContract: false,
    isToContract: false,
    amount: '25',
    symbol: 'TOK',
    tokenId: '',
    ...more,
  };
}

export const TOKEN_20 = { protocolType: 'token_20' } as const;
