import { baseFeePerGas, blockSize, miner, txnCount } from '../../blocks-vocabulary.ts';
import { blockHash, blockNumber, blockTime, gasLimit, gasUsed } from '../../vocabulary.ts';
import { member, rpcMethod } from '../rpc-method.ts';
import { blockParam, parentHash, txHashes } from '../rpc-words.ts';

/** The pending block has no hash yet on most nodes. */
export const ethBlockByNumber = rpcMethod({
  method: 'eth_getBlockByNumber',
  summary: 'A block by its height or tag',
  params: [
    blockParam,
    {
      name: 'full',
      type: 'flag',
      required: false,
      meaning: 'whether transactions are listed whole, in place of their hashes',
    },
  ],
  result: 'object',
  fields: [
    member('number', 'quantity', blockNumber),
    member('hash', 'hash', blockHash),
    member('parentHash', 'hash', parentHash),
    member('timestamp', 'seconds', blockTime),
    member('miner', 'address', miner),
    member('baseFeePerGas', 'native', baseFeePerGas),
    member('gasLimit', 'quantity', gasLimit),
    member('gasUsed', 'quantity', gasUsed),
    member('size', 'quantity', blockSize),
    member('transactions', 'count', txnCount),
    member('transactions', 'hashes', txHashes),
  ],
  table: 'pending_blocks',
});
