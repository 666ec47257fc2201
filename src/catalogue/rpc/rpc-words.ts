import { address, amount, count, hash, integer, quantity, text, unsigned } from '../column-kind.ts';
import { word } from '../entry.ts';
import type { RpcParam } from './rpc-method.ts';

/** Columns and parameters of the pending state, beside those of `vocabulary.ts`. */

const account = word('address', address, 'Address whose state was read');
export const balanceRaw = word('balance_raw', integer, 'Exact balance', { unit: 'wei' });
export const balance = word('balance', amount, 'Balance; balance_text is exact', {
  unit: 'native token',
});
export const nextNonce = word(
  'next_nonce',
  unsigned,
  'Nonce of the next transaction of the address: the number of those that it has sent',
);
export const parentHash = word('parent_hash', hash, 'Hash of the block before');
export const txHashes = word(
  'tx_hashes',
  text,
  'Hashes of the transactions in their order, separated by commas',
);
export const inBlock = word('in_block', count, 'Height of the block that has the transaction');
export const cumulativeGas = word(
  'cumulative_gas_used',
  unsigned,
  'Gas of the block up to and including this transaction',
  { unit: 'gas' },
);
export const gasPricePaid = word(
  'effective_gas_price',
  quantity,
  'Price of one unit of gas that is paid',
  { unit: 'wei' },
);
export const createdContract = word(
  'created_contract',
  address,
  'Contract that the transaction creates; NULL for none',
);
export const logCount = word('log_count', count, 'Events of the transaction');
export const logs = word('logs', text, 'Events of the transaction, as JSON');
const contract = word('contract_address', address, 'Contract that is called');
const callData = word('call_data', text, 'Selector and arguments of the call, in hex');
export const callResult = word('result', text, 'Result of the call in hex, as received');
export const gasEstimate = word('gas_estimate', unsigned, 'Gas that the call would need', {
  unit: 'gas',
});
/** Filled in by windrow, from the signature of the function. */
export const callFunction = word('function', text, 'Function that is called, as its signature');
export const callArguments = word('arguments', text, 'Arguments of the call, as a JSON list');
export const decoded = word(
  'decoded',
  text,
  'Result by the types of the signature, as a JSON list; NULL where it does not match them',
);
export const valueText = word(
  'value_text',
  integer,
  'The first decoded value, if it is a whole number without a sign: exact',
);
export const value = word('value', quantity, 'The same as a number; NULL above 38 digits');

/** Absent, the tag is `latest`; windrow always sends one. */
export const blockParam = {
  name: 'block',
  type: 'block',
  required: false,
  meaning: 'height in hex, or a tag: pending includes preconfirmed transactions',
} as const satisfies RpcParam;
export const callParam = {
  name: 'call',
  type: 'call',
  required: true,
  meaning: 'the contract and the input of the call',
  to: contract,
  data: callData,
} as const satisfies RpcParam;
export const addressParam = {
  name: 'address',
  type: 'address',
  required: true,
  meaning: 'the address',
  column: account,
} as const satisfies RpcParam;
