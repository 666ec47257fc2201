import {
  fromAddress,
  gasLimit,
  gasPrice,
  nativeAmount,
  nonce,
  toAddress,
  txHash,
  txType,
} from '../../vocabulary.ts';
import { txIndex } from '../../zone-vocabulary.ts';
import { member, rpcMethod } from '../rpc-method.ts';
import { inBlock } from '../rpc-words.ts';

export const ethTransactionByHash = rpcMethod({
  method: 'eth_getTransactionByHash',
  summary: 'A transaction by its hash',
  params: [{ name: 'hash', type: 'hash', required: true, meaning: 'the hash', column: txHash }],
  result: 'object',
  fields: [
    member('blockNumber', 'quantity', inBlock),
    member('transactionIndex', 'quantity', txIndex),
    member('from', 'address', fromAddress),
    member('to', 'address', toAddress),
    member('nonce', 'quantity', nonce),
    member('value', 'native', nativeAmount),
    member('gas', 'quantity', gasLimit),
    member('gasPrice', 'quantity', gasPrice),
    member('type', 'quantity', txType),
  ],
  table: 'pending_receipts',
});
