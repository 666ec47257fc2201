import { amount, count, hash, quantity, text } from './column-kind.ts';
import { word } from './entry.ts';

/** Columns of blocks, shared by the block list and the block details. */

export const chainFullName = word('chain_full_name', text, 'Full name of the chain');
export const chainShortName = word('chain_short_name', text, 'Short name of the chain');
/** A name or an address; the name may change. */
export const validator = word('validator', text, 'Validator', { volatile: true });
export const txnCount = word('txn_count', count, 'Normal transactions in the block');
export const txnInternal = word('txn_internal', count, 'Internal transactions in the block');
export const blockSize = word('block_size', count, 'Size of the block', { unit: 'bytes' });
export const blockAmount = word('amount', amount, 'Amount moved; amount_text is exact', {
  unit: 'native token',
});
export const mineReward = word('mine_reward', amount, 'Block reward', { unit: 'native token' });
export const totalFee = word('total_fee', amount, 'Sum of the fees', { unit: 'fee currency' });
export const feeSymbol = word('fee_symbol', text, 'Fee currency', { volatile: true });
export const avgFee = word('avg_fee', amount, 'Average fee', { unit: 'fee currency' });
export const ommerBlocks = word('ommer_blocks', count, 'Ommer blocks');
export const merkleRoot = word('merkle_root', hash, 'Merkle root hash');
export const gasAvgPrice = word('gas_avg_price', amount, 'Average gas price', {
  unit: 'native token',
});
export const burnt = word('burnt', amount, 'Destroyed fee', { unit: 'native token' });
export const miner = word('miner', text, 'Address that packed the block');
export const difficulty = word('difficulty', quantity, 'Packing difficulty');
/** Kept as text, because some deployments send it without 0x. */
export const blockNonce = word('block_nonce', text, 'Nonce of the block');
export const confirmations = word('confirmations', text, 'Blocks confirmed since', {
  volatile: true,
});
export const tips = word('tips', amount, 'Highest priority price the initiator pays', {
  unit: 'native token',
});
export const baseFeePerGas = word('base_fee_per_gas', amount, 'Base fee per gas', {
  unit: 'native token',
});
