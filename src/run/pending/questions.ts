import { ethCall } from '../../catalogue/rpc/methods/eth-call.ts';
import { ethEstimateGas } from '../../catalogue/rpc/methods/eth-estimate-gas.ts';
import { ethBalance } from '../../catalogue/rpc/methods/eth-get-balance.ts';
import { ethBlockByNumber } from '../../catalogue/rpc/methods/eth-get-block-by-number.ts';
import { ethTransactionByHash } from '../../catalogue/rpc/methods/eth-get-transaction-by-hash.ts';
import { ethTransactionCount } from '../../catalogue/rpc/methods/eth-get-transaction-count.ts';
import { ethTransactionReceipt } from '../../catalogue/rpc/methods/eth-get-transaction-receipt.ts';
import { decodeResult } from '../../catalogue/rpc/rpc-catalogue.ts';
import { hashOf } from '../../catalogue/rpc/rpc-form.ts';
import type { RpcMethod } from '../../catalogue/rpc/rpc-method.ts';
import type { PendingRead } from '../../pipeline/captures/pending-settings.ts';
import type { ContractCall } from '../../pipeline/csv/calls-file.ts';
import type { RowQuestion } from './reading.ts';

/** The inputs of a reading, which are the same every time. */
export interface ReadSubjects {
  readonly reads: readonly PendingRead[];
  readonly addresses: readonly string[];
  readonly calls: readonly ContractCall[];
}

/** The block at a tag or height, with its transactions. Each reading begins with it. */
export function blockQuestion(block: string): RowQuestion {
  return question('pending_blocks', [{ entry: ethBlockByNumber, params: [block, true] }]);
}

/** The questions that do not depend on the transactions of the block. */
export function questionsAt(
  block: string,
  { reads, addresses, calls }: ReadSubjects,
): RowQuestion[] {
  const perAddress = (table: string, entry: RpcMethod): RowQuestion[] =>
    addresses.map((address) => {
      return question(table, [{ entry, params: [address, block] }], [['address', address]]);
    });
  return [
    ...(reads.includes('balances') ? perAddress('pending_balances', ethBalance) : []),
    ...(reads.includes('nonces') ? perAddress('pending_nonces', ethTransactionCount) : []),
    ...calls.map((call) => callQuestion(call, block)),
  ];
}

/** The receipt of a transaction that a block lists, whole or as its hash. */
export function receiptQuestion(transaction: unknown): RowQuestion {
  const hash = hashOf(transaction);
  const { texts } = decodeResult(ethTransactionByHash, transaction);
  const receipt = { entry: ethTransactionReceipt, params: [hash] };
  return question('pending_receipts', [receipt], [['tx_hash', hash], ...texts]);
}

/** The transaction with this hash and its receipt, wherever they are now. */
export function settledQuestion(hash: string): RowQuestion {
  const calls = [ethTransactionByHash, ethTransactionReceipt].map((entry) => {
    return { entry, params: [hash] };
  });
  return question('pending_receipts', calls, [['tx_hash', hash]]);
}

function callQuestion(call: ContractCall, block: string): RowQuestion {
  const { contract, data, signature, argumentsText } = call;
  const params = [{ to: contract, data }, block];
  const texts = [
    ['contract_address', contract],
    ['call_data', data],
    ['function', signature],
    ['arguments', argumentsText],
  ] as const;
  const plain = question(
    'pending_calls',
    [ethCall, ethEstimateGas].map((entry) => ({ entry, params })),
    texts,
  );
  return {
    ...plain,
    complete: (row) => {
      const result = row.get('result');
      const decoded = result === undefined ? undefined : call.decode(result);
      if (decoded === undefined) return;
      row.set('decoded', decoded.text);
      if (decoded.number === undefined) return;
      row.set('value_text', decoded.number);
      row.set('value', decoded.number);
    },
  };
}

function question(
  table: string,
  calls: RowQuestion['calls'],
  texts: Iterable<readonly [string, string]> = [],
): RowQuestion {
  return { table, calls, texts: new Map(texts) };
}
