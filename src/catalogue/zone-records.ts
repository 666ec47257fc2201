import { field, type LateColumn } from './entry.ts';
import * as w from './vocabulary.ts';
import * as z from './zone-vocabulary.ts';

/** Records that several endpoints of the zone chain share. */

/** Zone transaction summary record. */
export const zoneTransactionFields = [
  field('hash', w.txHash),
  field('blockHeight', w.blockNumber),
  field('blockHash', w.blockHash),
  field('blockTime', w.blockTime),
  field('status', z.zoneStatus),
  field('from', w.fromAddress),
  field('actionType', z.actionType),
  field('index', z.txIndex),
  field('value', z.zoneAmount),
  field('valueRaw', z.amountRaw),
];

/** Cross-chain record, list form. */
export const crossChainFields = [
  field('id', z.crossId),
  field('txType', z.direction),
  field('crossType', z.crossType),
  field('status', z.crossStatus),
  field('mainTxHash', z.mainTxHash),
  field('mainBlockHeight', z.mainBlockNumber),
  field('mainBlockTime', z.mainBlockTime),
  field('zoneTxHash', z.zoneTxHash),
  field('zoneBlockHeight', z.zoneBlockNumber),
  field('zoneBlockTime', z.zoneBlockTime),
  field('from', w.fromAddress),
  field('to', w.toAddress),
  field('sourceAddress', z.sourceAddress),
  field('targetAddress', z.targetAddress),
  field('value', z.zoneAmount),
  field('valueRaw', z.amountRaw),
  field('tokenContractAddress', w.tokenAddress),
  field('tokenType', z.crossTokenStandard),
  field('tokenId', w.tokenId),
  field('tokenName', z.tokenName),
];

/** The half of a crossing on the other chain. */
export const crossChainHalves: readonly LateColumn[] = [
  { column: z.mainTxHash },
  { column: z.mainBlockNumber, axis: 'primary' },
  { column: z.zoneTxHash },
];

/** Cross-chain record, detail form. */
export const crossChainDetailFields = [
  ...crossChainFields,
  field('zoneEventIndex', z.zoneEventIndex),
  field('zoneBlockHash', z.zoneBlockHash),
  field('batchDetail', z.batchDetail),
  field('updateTime', z.updateTime),
  field('blockHeight', z.publishedBlockNumber),
];

/** The halves, and the parts of a batch. */
export const crossChainDetailHalves: readonly LateColumn[] = [
  ...crossChainHalves,
  { column: z.batchDetail, where: { column: z.crossType, is: 'BatchWithdraw' } },
];
