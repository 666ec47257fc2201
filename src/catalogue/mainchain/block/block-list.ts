import * as ambiguity from '../../ambiguities.ts';
import * as b from '../../blocks-vocabulary.ts';
import { endpoint, field } from '../../entry.ts';
import { blockHeight, chain, limit, page } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/** E10. About the latest 10,000 blocks, newest first. Its first record is the head. */
export const blockList = endpoint({
  path: 'mainchain/block/block-list',
  method: 'GET',
  axis: 'primary',
  summary: 'Block list, newest first',
  dataset: 'blocks',
  list: 'positional',
  servesHead: true,
  limits: { pageSize: { max: 100, default: 20 }, depthBlocks: 10_000 },
  params: [chain, { ...blockHeight, required: false }, page, limit],
  reply: { shape: 'paged', list: 'blockList', extras: ['chainFullName', 'chainShortName'] },
  fields: [
    field('hash', w.blockHash),
    field('height', w.blockNumber),
    field('validator', b.validator),
    field('blockTime', w.blockTime),
    field('txnCount', b.txnCount),
    field('blockSize', b.blockSize),
    field('mineReward', b.mineReward),
    field('totalFee', b.totalFee),
    field('feeSymbol', b.feeSymbol),
    field('avgFee', b.avgFee),
    field('ommerBlock', b.ommerBlocks),
    field('gasUsed', w.gasUsed),
    field('gasLimit', w.gasLimit),
    field('gasAvgPrice', b.gasAvgPrice),
    field('state', w.blockState),
    field('burnt', b.burnt),
  ],
  contradictions: [
    ambiguity.emptyState,
    'The depth limit of the list is approximate: windrow relies on 10,000 blocks.',
  ],
});
