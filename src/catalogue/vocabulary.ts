import {
  address,
  amount,
  flag,
  hash,
  height,
  party,
  quantity,
  text,
  time,
  unsigned,
} from './column-kind.ts';
import { type Field, field, type PendingState, word } from './entry.ts';

/** Columns that several datasets share. A name has the same meaning and kind in all of them. */

export const blockNumber = word('block_number', height, 'Height of the block');
export const blockHash = word('block_hash', hash, 'Hash of the block');
export const blockTime = word('block_time', time, 'Time of the block', { unit: 'UTC' });
/** Times of blocks lie between these [ms]. Seconds that are read as milliseconds are from 1970. */
export const EARLIEST_MS = Date.UTC(2015, 0, 1);
export const LATEST_MS = Date.UTC(2100, 0, 1);
export const txHash = word('tx_hash', hash, 'Hash of the transaction');
export const fromAddress = word(
  'from_address',
  party,
  'Sender; several addresses are separated by commas, and listed in from_addresses',
);
export const toAddress = word(
  'to_address',
  party,
  'Recipient, NULL for a creation; several are separated by commas, and listed in to_addresses',
);
/** Explorers often set contract flags late, and reset them after a self-destruct. */
export const fromIsContract = word('from_is_contract', flag, 'The sender is a contract', {
  volatile: true,
});
export const toIsContract = word('to_is_contract', flag, 'The recipient is a contract', {
  volatile: true,
});
export const nativeAmount = word('amount', amount, 'Amount moved; amount_text is exact', {
  unit: 'native token',
});
export const tokenAmount = word(
  'amount',
  amount,
  'Amount moved as the service states it; amount_text is exact, amount NULL where it does not fit',
  { unit: 'token' },
);
/** A token's owner may rename it. */
export const symbol = word('symbol', text, 'Symbol of the token moved', { volatile: true });
export const methodId = word('method_id', text, 'Identifier of the method called');
export const tokenAddress = word('token_address', address, 'Contract of the token');
export const tokenId = word('token_id', text, 'Id of the token for NFT standards');
export const tokenStandard = word('token_standard', text, 'Protocol type of the token');
export const nonce = word('nonce', unsigned, 'Transactions the sender had sent before this one');
export const gasUsed = word('gas_used', unsigned, 'Gas used', { unit: 'gas' });
export const gasLimit = word('gas_limit', unsigned, 'Gas allowed', { unit: 'gas' });
export const gasPrice = word('gas_price', quantity, 'Price of one unit of gas', { unit: 'wei' });
export const txFee = word('tx_fee', amount, 'Fee paid; tx_fee_text is exact', {
  unit: 'native token',
});
export const txType = word(
  'tx_type',
  text,
  'Transaction type: 0 original, 1 EIP2930, 2 EIP1559; others exist on real chains',
);
/** Volatile, because a pending transaction is mined later. */
export const txStatus = word('tx_status', text, 'State: success, fail or pending', {
  volatile: true,
});
const broadcastTime = word(
  'broadcast_time',
  time,
  'When the transaction was broadcast, as the service says; a mined one has the time of its block',
  { unit: 'UTC' },
);
/** A pending transaction has neither height nor block hash. */
export const inNoBlock: PendingState = {
  state: txStatus,
  is: 'pending',
  absent: [blockNumber, blockHash],
  instead: { [blockTime.column]: broadcastTime },
};
export const operation = word('operation', text, 'Operation: call, staticcall, create ...');
/** Volatile, because a block is pending before it is done. */
export const blockState = word('block_state', text, 'State: pending or done', { volatile: true });

/** The fields that begin most records of the primary chain. Their hash has several names. */
export function movementFields(hashName: 'txId' | 'txid'): readonly Field[] {
  return [
    field(hashName, txHash),
    field('blockHash', blockHash),
    field('height', blockNumber),
    field('transactionTime', blockTime),
    field('from', fromAddress),
    field('to', toAddress),
  ];
}

/** These fields with two flags, which most records have. */
export function transactionFields(hashName: 'txId' | 'txid'): readonly Field[] {
  return [
    ...movementFields(hashName),
    field('isFromContract', fromIsContract),
    field('isToContract', toIsContract),
  ];
}
