import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { datasetOf, endpointAt } from '../../src/catalogue/index.ts';
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
export const OWN_TRANSACTIONS = 'mainchain/address/normal-transaction-list';
export const TRANSACTIONS_BY_HASH = 'mainchain/transaction/transaction-multi';
export const INTERNAL_BY_HASH = 'mainchain/transaction/internal-transaction-detail';
export const TOKENS_BY_HASH = 'mainchain/transaction/token-transfer-multi';
export const TOKENS_OF_CONTRACT = 'mainchain/token/transaction-list';
export const IN_BLOCK = 'mainchain/block/transaction-list';
export const BLOCKS = 'mainchain/block/block-list';
export const BLOCK_DETAILS = 'mainchain/block/block-fills';
export const HOLDERS = 'mainchain/address/native-token-position-list';
export const ZONE_BLOCKS = 'mainchain/zone/block/block-list';
export const ZONE_TRANSACTIONS = 'mainchain/zone/block/transaction-list-multi';
export const ZONE_OF_ADDRESS = 'mainchain/zone/address/transaction-list';
export const ZONE_DETAILS = 'mainchain/zone/transaction/transaction-fills';
export const CROSS_CHAIN = 'mainchain/zone/cross/transaction-list';
export const CROSS_DETAILS = 'mainchain/zone/cross/transaction-multi';

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
      chains: { primary: 'MAINCHAIN', zone: 'ZONECHAIN' },
      run: 'test',
      effects: quietEffects(),
      disk: localDisk,
    });
    return new SmallLake(folder, lake);
  }

  async land(path: string, ...walks: readonly Walked[]): Promise<void> {
    const endpoint = endpointAt(path);
    const dataset = datasetOf(endpoint, walks[0]?.params ?? {});
    await this.lake.table(dataset).commit(
      walks.map((walk) => {
        const asked = variant(walk.params ?? {});
        const { rows, broken } = decode(endpoint, asked, walk.records ?? [], walk.from ?? 0);
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
        return { claim, records: rows, slice: 'test', requests: 1 };
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

/** A record of a list of a block: a normal transaction, unless told otherwise. */
export function inBlock(more: WireRecord = {}): WireRecord {
  return {
    txid: '0x01',
    blockHash: '0xb10c',
    height: '10',
    transactionTime: '1700000000123',
    from: '0xa',
    to: '0xb',
    isFromContract: false,
    isToContract: false,
    amount: '1.5',
    transactionSymbol: 'ETH',
    txfee: '0.000021',
    state: 'success',
    tokenContractAddress: '',
    tokenId: '',
    methodId: '',
    ...more,
  };
}

export const NORMAL = { protocolType: 'transaction' } as const;
export const INTERNALS = { protocolType: 'internal' } as const;

/** A block of the primary chain with one transaction and one internal one. */
export function block(more: WireRecord = {}): WireRecord {
  return {
    hash: '0xb10c',
    height: '10',
    blockTime: '1700000000123',
    txnCount: '1',
    txnInternal: '1',
    ...more,
  };
}

/** A zone transaction of zone block 50 by 0xa, without an amount. */
export function zoneTransaction(more: WireRecord = {}): WireRecord {
  return {
    hash: '0x2e01',
    blockHeight: '50',
    blockHash: '0x2b',
    blockTime: '1700000005123',
    status: '0x1',
    from: '0xa',
    actionType: 'order',
    index: '0',
    value: '',
    valueRaw: '',
    ...more,
  };
}

/** A deposit of 3 from 0xa to 0xb: primary transaction 0x01, zone transaction 0x2e01. */
export function crossing(more: WireRecord = {}): WireRecord {
  return {
    id: '',
    txType: 'MainToZone',
    crossType: 'Deposit',
    status: '0x1',
    mainTxHash: '0x01',
    mainBlockHeight: '10',
    mainBlockTime: '1700000000123',
    zoneTxHash: '0x2e01',
    zoneBlockHeight: '50',
    zoneBlockTime: '1700000005123',
    from: '0x51',
    to: '0xc0',
    sourceAddress: '0xa',
    targetAddress: '0xb',
    value: '3',
    valueRaw: '3000',
    tokenContractAddress: '0x0000000000000000000000000000000000000000',
    tokenType: 'ERC20',
    tokenId: '',
    tokenName: 'Ether',
    ...more,
  };
}

/** A withdrawal of 3 from 0xa to 0xb. */
export function withdrawal(more: WireRecord = {}): WireRecord {
  return crossing({ txType: 'ZoneToMain', crossType: 'Withdraw', ...more });
}
