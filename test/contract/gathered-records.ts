import type { CanonicalRecord } from '../../src/catalogue/record.ts';
import type { Params, Tables } from '../model/asked-truth.ts';
import { tables } from './asked-requests.ts';

/**
 * Records of a chain, gathered under one key, one hash and one height: every list that a request
 * can ask for is then longer than two of its largest pages.
 */

const LENGTH = 230;
const BLOCK = '7';
const ADDRESS = `0x${'a'.repeat(40)}`;
const TOKEN = `0x${'b'.repeat(40)}`;
const HASH = `0x${'c'.repeat(64)}`;

type Change = (record: CanonicalRecord, i: number) => CanonicalRecord;

/** The address sends every other record, and receives the rest. */
const sided = (i: number): CanonicalRecord =>
  i % 2 === 0 ? { from_address: ADDRESS } : { to_address: ADDRESS };

const CHANGES: Readonly<Record<string, Change>> = {
  blocks: () => ({}),
  transactions: (_, i) => ({ block_number: BLOCK, ...sided(i) }),
  internal_transactions: (_, i) => ({ block_number: BLOCK, tx_hash: HASH, ...sided(i) }),
  token_transfers: (_, i) => ({
    block_number: BLOCK,
    tx_hash: HASH,
    token_address: TOKEN,
    token_standard: 'token_20',
    ...sided(i),
  }),
  native_holders: () => ({}),
  zone_blocks: () => ({}),
  zone_transactions: () => ({ block_number: BLOCK, from_address: ADDRESS }),
  cross_chain_transfers: () => ({ zone_block_number: BLOCK, source_address: ADDRESS }),
};

export const gatheredTables: Tables = new Map(
  Object.entries(CHANGES).map(([dataset, change]) => [
    dataset,
    (tables.get(dataset) ?? [])
      .slice(0, LENGTH)
      .map((record, i) => ({ ...record, ...change(record, i) })),
  ]),
);

const firstOf = (dataset: string, column: string, count: number): string =>
  (gatheredTables.get(dataset) ?? [])
    .slice(0, count)
    .map((record) => record[column])
    .join(',');

const RANGE = { startBlockHeight: '0', endBlockHeight: '229' };

/** A request of every list for all that was gathered, by path. */
export const GATHERED: Readonly<Record<string, Params>> = {
  'mainchain/token/transaction-list': { tokenContractAddress: TOKEN },
  'mainchain/address/token-transaction-list': { address: ADDRESS, protocolType: 'token_20' },
  'mainchain/address/normal-transaction-list': { address: ADDRESS },
  'mainchain/block/block-list': {},
  'mainchain/block/transaction-list': { height: BLOCK, protocolType: 'token_20' },
  'mainchain/address/normal-transaction-list-multi': { address: ADDRESS, ...RANGE },
  'mainchain/block/block-fills': { height: BLOCK },
  'mainchain/transaction/transaction-multi': { txId: firstOf('transactions', 'tx_hash', 20) },
  'mainchain/transaction/token-transfer-multi': { txId: HASH, protocolType: 'token_20' },
  'mainchain/address/native-token-position-list': {},
  'mainchain/address/internal-transaction-list-multi': { address: ADDRESS, ...RANGE },
  'mainchain/transaction/internal-transaction-detail': { txId: HASH },
  'mainchain/zone/cross/transaction-list': { address: ADDRESS },
  'mainchain/zone/address/transaction-list': { address: ADDRESS },
  'mainchain/zone/block/transaction-list': { height: BLOCK },
  'mainchain/zone/block/transaction-list-multi': RANGE,
  'mainchain/zone/block/block-list': {},
  'mainchain/zone/cross/transaction-multi': {
    txId: firstOf('cross_chain_transfers', 'zone_tx_hash', 20),
  },
  'mainchain/zone/cross/transaction-fills': {
    txid: firstOf('cross_chain_transfers', 'zone_tx_hash', 1),
  },
  'mainchain/zone/transaction/transaction-fills': {
    txid: firstOf('zone_transactions', 'tx_hash', 1),
  },
};
