import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import type { PipelineRequest } from '../../src/pipeline/requests.ts';

/** Everything a pipeline can ask, by short names; cases pick from it. */

const HEAD = `version: 1
name: model
source: { url: "http://127.0.0.1", chain: MAINCHAIN, credentials: none }
keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
  tokens: { list: ["0x0000000000000000000000000000000000000000"] }
`;

const TEXT = `${HEAD}
  activity: { from: [transactions, internal_transactions] }
  calls: { from: [internal_transactions] }
  transfers: { from: [token_transfers] }
  actions: { from: [zone_transactions] }
  crossings: { from: [cross_chain_transfers] }
datasets:
  blocks:
    - { endpoint: mainchain/block/block-list }
    - { endpoint: mainchain/block/block-fills }
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/address/normal-transaction-list, keys: addresses }
    - { endpoint: mainchain/block/transaction-list }
    - { endpoint: mainchain/transaction/transaction-multi, keys: activity }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
    - { endpoint: mainchain/block/transaction-list }
    - { endpoint: mainchain/transaction/internal-transaction-detail, keys: calls }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721] }
    - endpoint: mainchain/block/transaction-list
      each: { protocolType: [token_20, token_721] }
    - { endpoint: mainchain/token/transaction-list, keys: tokens }
    - endpoint: mainchain/transaction/token-transfer-multi
      keys: transfers
      each: { protocolType: [token_20, token_721] }
  native_holders:
    - { endpoint: mainchain/address/native-token-position-list }
  zone_blocks:
    - { endpoint: mainchain/zone/block/block-list }
  zone_transactions:
    - { endpoint: mainchain/zone/block/transaction-list-multi }
    - { endpoint: mainchain/zone/address/transaction-list, keys: addresses }
    - { endpoint: mainchain/zone/block/transaction-list }
    - { endpoint: mainchain/zone/transaction/transaction-fills, keys: actions }
  cross_chain_transfers:
    - { endpoint: mainchain/zone/cross/transaction-list }
    - { endpoint: mainchain/zone/cross/transaction-list, keys: addresses }
    - { endpoint: mainchain/zone/cross/transaction-multi, keys: crossings }
    - { endpoint: mainchain/zone/cross/transaction-fills, keys: crossings }
`;

const SIDES = `${HEAD}
datasets:
  blocks:
    - { endpoint: mainchain/block/block-list, alternatives: [mainchain/block/block-fills] }
  transactions:
    - endpoint: mainchain/address/normal-transaction-list
      keys: addresses
      alternatives: [mainchain/address/normal-transaction-list-multi]
    - endpoint: mainchain/address/normal-transaction-list-multi
      keys: addresses
      each: { isFromOrTo: [from, to] }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { isFromOrTo: [from, to] }
`;

export const PIPELINE: Pipeline = parsePipeline({ text: TEXT, file: 'model.yaml' });
const others = parsePipeline({ text: SIDES, file: 'model.yaml' });

function request(pipeline: Pipeline, dataset: string, at: number): PipelineRequest {
  const match = pipeline.requests.filter((candidate) => candidate.dataset === dataset)[at];
  if (match === undefined) throw new Error(`the menu has no request ${at} of ${dataset}`);
  return match;
}

export const MENU = {
  blockList: request(PIPELINE, 'blocks', 0),
  blockFills: request(PIPELINE, 'blocks', 1),
  blocksEitherWay: request(others, 'blocks', 0),
  transactions: request(PIPELINE, 'transactions', 0),
  transactionsBySide: request(others, 'transactions', 1),
  yearOfTransactions: request(PIPELINE, 'transactions', 1),
  transactionsEitherWay: request(others, 'transactions', 0),
  transactionsOfBlocks: request(PIPELINE, 'transactions', 2),
  transactionsByHash: request(PIPELINE, 'transactions', 3),
  internal: request(PIPELINE, 'internal_transactions', 0),
  internalOfBlocks: request(PIPELINE, 'internal_transactions', 1),
  internalByHash: request(PIPELINE, 'internal_transactions', 2),
  transfers: request(PIPELINE, 'token_transfers', 0),
  transfersBySide: request(others, 'token_transfers', 0),
  transfersOfBlocks: request(PIPELINE, 'token_transfers', 1),
  transfersOfToken: request(PIPELINE, 'token_transfers', 2),
  transfersByHash: request(PIPELINE, 'token_transfers', 3),
  holders: request(PIPELINE, 'native_holders', 0),
  zoneBlocks: request(PIPELINE, 'zone_blocks', 0),
  zoneTransactions: request(PIPELINE, 'zone_transactions', 0),
  zoneTransactionsOfAddress: request(PIPELINE, 'zone_transactions', 1),
  zoneTransactionsOfBlocks: request(PIPELINE, 'zone_transactions', 2),
  zoneTransactionsByHash: request(PIPELINE, 'zone_transactions', 3),
  crossings: request(PIPELINE, 'cross_chain_transfers', 0),
  crossingsOfAddress: request(PIPELINE, 'cross_chain_transfers', 1),
  crossingsByHashes: request(PIPELINE, 'cross_chain_transfers', 2),
  crossingsByHash: request(PIPELINE, 'cross_chain_transfers', 3),
} as const;

export type Dish = keyof typeof MENU;

/** Asked height by height, so only a few heights at a time. */
export const BY_HEIGHT: ReadonlySet<Dish> = new Set<Dish>([
  'blockFills',
  'transactionsOfBlocks',
  'internalOfBlocks',
  'transfersOfBlocks',
  'zoneTransactionsOfBlocks',
]);

/** What is asked by hashes that others find, with those others. */
export const FOLLOWS: Partial<Record<Dish, readonly Dish[]>> = {
  transactions: ['transactionsByHash'],
  internal: ['internalByHash', 'transactionsByHash'],
  transfers: ['transfersByHash'],
  transfersOfToken: ['transfersByHash'],
  zoneTransactions: ['zoneTransactionsByHash'],
  zoneTransactionsOfAddress: ['zoneTransactionsByHash'],
  crossings: ['crossingsByHashes', 'crossingsByHash'],
  crossingsOfAddress: ['crossingsByHashes', 'crossingsByHash'],
};
