import * as ambiguity from '../../ambiguities.ts';
import * as b from '../../blocks-vocabulary.ts';
import { endpoint, field } from '../../entry.ts';
import { blockHeight, chain } from '../../params.ts';
import * as w from '../../vocabulary.ts';

/** E14. One block by its height; `data` is the array of records itself. */
export const blockFills = endpoint({
  path: 'mainchain/block/block-fills',
  method: 'GET',
  axis: 'primary',
  summary: 'Block details',
  dataset: 'blocks',
  list: 'by-key',
  limits: {},
  params: [chain, blockHeight],
  reply: { shape: 'bare' },
  fields: [
    field('chainFullName', b.chainFullName),
    field('chainShortName', b.chainShortName),
    field('hash', w.blockHash),
    field('height', w.blockNumber),
    field('validator', b.validator),
    field('blockTime', w.blockTime),
    field('amount', b.blockAmount),
    field('txnCount', b.txnCount),
    field('txnInternal', b.txnInternal),
    field('blockSize', b.blockSize),
    field('mineReward', b.mineReward),
    field('totalFee', b.totalFee),
    field('feeSymbol', b.feeSymbol),
    field('ommerBlock', b.ommerBlocks),
    field('merkleRootHash', b.merkleRoot),
    field('gasUsed', w.gasUsed),
    field('gasLimit', w.gasLimit),
    field('gasAvgPrice', b.gasAvgPrice),
    field('state', w.blockState),
    field('burnt', b.burnt),
    field('miner', b.miner),
    // Documented as `difficulty`; the sample response spells it `difficuity`.
    field('difficulty', b.difficulty, { aliases: ['difficuity'] }),
    field('nonce', b.blockNonce),
    field('confirm', b.confirmations),
    field('tips', b.tips),
    field('baseFeePerGas', b.baseFeePerGas),
  ],
  contradictions: [
    'difficulty is spelled difficuity in the sample: windrow reads both, and the service sends ' +
      'difficulty.',
    ambiguity.emptyState,
    'The names of the chain are part of the record here, but beside the list in the block list: ' +
      'windrow lands them from this operation.',
  ],
});
