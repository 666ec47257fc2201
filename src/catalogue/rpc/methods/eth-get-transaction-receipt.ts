import { blockHash, gasUsed, txHash, txStatus } from '../../vocabulary.ts';
import { txIndex } from '../../zone-vocabulary.ts';
import { member, rpcMethod } from '../rpc-method.ts';
import {
  createdContract,
  cumulativeGas,
  gasPricePaid,
  inBlock,
  logCount,
  logs,
} from '../rpc-words.ts';

/** Nodes without preconfirmed blocks answer null until the block of the transaction is sealed. */
export const ethTransactionReceipt = rpcMethod({
  method: 'eth_getTransactionReceipt',
  summary: 'The receipt of a transaction by its hash',
  params: [{ name: 'hash', type: 'hash', required: true, meaning: 'the hash', column: txHash }],
  result: 'object',
  fields: [
    member('blockNumber', 'quantity', inBlock),
    member('blockHash', 'hash', blockHash),
    member('transactionIndex', 'quantity', txIndex),
    member('status', 'status', txStatus),
    member('gasUsed', 'quantity', gasUsed),
    member('cumulativeGasUsed', 'quantity', cumulativeGas),
    member('effectiveGasPrice', 'quantity', gasPricePaid),
    member('contractAddress', 'address', createdContract),
    member('logs', 'count', logCount),
    member('logs', 'json', logs),
  ],
  table: 'pending_receipts',
});
