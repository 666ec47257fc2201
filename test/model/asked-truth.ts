import type { CanonicalRecord } from '../../src/catalogue/record.ts';

/**
 * What a request lists, by a plain loop over records. Every operation and every parameter is typed
 * here from the text of the interface: nothing is taken from the catalogue, the service or the
 * client, so none of their mistakes can be repeated.
 */

export type Params = Readonly<Record<string, string>>;
export type Tables = ReadonlyMap<string, readonly CanonicalRecord[]>;

/** Whether a record agrees with a parameter's value, beside the other parameters. */
type Agrees = (record: CanonicalRecord, value: string, params: Params) => boolean;

export interface Operation {
  readonly dataset: string | ((params: Params) => string);
  /** By parameter: what a record must be. Parameters of the chain and of pages are no filters. */
  readonly filters: Readonly<Record<string, Agrees>>;
  /** What a parameter is taken to be where it is missing. */
  readonly defaults?: Params;
  /** Names of fields in the answer, and the columns of the record that they tell. */
  readonly told: Readonly<Record<string, string>>;
}

const text = (record: CanonicalRecord, column: string): string => String(record[column] ?? '');
const lower = (value: string): string => value.toLowerCase();

/** A party may be several addresses with commas between them. */
const has = (record: CanonicalRecord, column: string, address: string): boolean =>
  text(record, column)
    .split(',')
    .some((name) => name.trim() === lower(address));

const isOneOf =
  (column: string): Agrees =>
  (record, value) =>
    lower(value).split(',').includes(text(record, column));

const is =
  (column: string): Agrees =>
  (record, value) =>
    has(record, column, value);

const isAtLeast =
  (column: string): Agrees =>
  (record, value) =>
    BigInt(text(record, column)) >= BigInt(value);

const isAtMost =
  (column: string): Agrees =>
  (record, value) =>
    BigInt(text(record, column)) <= BigInt(value);

const isAt =
  (column: string): Agrees =>
  (record, value) =>
    text(record, column) === value;

/** The sender or the recipient, or the one of them that isFromOrTo wants. */
const sentOrReceived: Agrees = (record, value, { isFromOrTo }) =>
  value
    .split(',')
    .some(
      (address) =>
        (isFromOrTo !== 'to' && has(record, 'from_address', address)) ||
        (isFromOrTo !== 'from' && has(record, 'to_address', address)),
    );

/** What isFromOrTo wants is said with the address. */
const saidElsewhere: Agrees = () => true;

/** Whole numbers of a unit that is small enough for every amount here. */
function units(amount: string): bigint {
  const [whole = '', fraction = ''] = amount.split('.');
  return BigInt(whole + fraction.padEnd(80, '0'));
}

const HASHED = { txId: 'tx_hash', height: 'block_number', transactionTime: 'block_time' };
const MOVED = { from: 'from_address', to: 'to_address', amount: 'amount' };
const TOKEN = { tokenContractAddress: 'token_address', tokenId: 'token_id' };
const PRICED = { nonce: 'nonce', gasUsed: 'gas_used', txFee: 'tx_fee', transactionType: 'tx_type' };
const ZONE_ACTION = {
  hash: 'tx_hash',
  blockHeight: 'block_number',
  blockTime: 'block_time',
  status: 'tx_status',
  from: 'from_address',
  actionType: 'action_type',
  index: 'tx_index',
  value: 'amount',
  valueRaw: 'amount_raw',
};
const CROSSED = {
  id: 'cross_id',
  txType: 'direction',
  crossType: 'cross_type',
  mainTxHash: 'main_tx_hash',
  mainBlockHeight: 'main_block_number',
  zoneTxHash: 'zone_tx_hash',
  zoneBlockHeight: 'zone_block_number',
  from: 'from_address',
  to: 'to_address',
  sourceAddress: 'source_address',
  targetAddress: 'target_address',
  value: 'amount',
  valueRaw: 'amount_raw',
  tokenContractAddress: 'token_address',
  tokenType: 'token_standard',
  tokenId: 'token_id',
};
const BLOCK = { hash: 'block_hash', height: 'block_number', txnCount: 'txn_count' };
const RANGE = {
  startBlockHeight: isAtLeast('block_number'),
  endBlockHeight: isAtMost('block_number'),
};
const SIDE = { address: sentOrReceived, isFromOrTo: saidElsewhere };

export const OPERATIONS: Readonly<Record<string, Operation>> = {
  'mainchain/token/transaction-list': {
    dataset: 'token_transfers',
    filters: {
      tokenContractAddress: is('token_address'),
      minAmount: (record, value) => units(text(record, 'amount')) >= units(value),
      maxAmount: (record, value) => units(text(record, 'amount')) <= units(value),
    },
    told: { txid: 'tx_hash', height: 'block_number', ...MOVED, ...TOKEN, state: 'tx_status' },
  },
  'mainchain/address/token-transaction-list': {
    dataset: 'token_transfers',
    filters: {
      ...SIDE,
      ...RANGE,
      protocolType: is('token_standard'),
      tokenContractAddress: is('token_address'),
    },
    defaults: { protocolType: 'token_20' },
    told: { ...HASHED, ...MOVED, ...TOKEN, symbol: 'symbol' },
  },
  'mainchain/address/normal-transaction-list': {
    dataset: 'transactions',
    filters: { ...SIDE, ...RANGE },
    told: { ...HASHED, ...MOVED, ...PRICED, state: 'tx_status' },
  },
  'mainchain/block/block-list': {
    dataset: 'blocks',
    filters: { height: isAt('block_number') },
    told: { ...BLOCK, validator: 'validator' },
  },
  'mainchain/block/transaction-list': {
    dataset: ({ protocolType = 'transaction' }) => {
      if (protocolType === 'transaction') return 'transactions';
      return protocolType === 'internal' ? 'internal_transactions' : 'token_transfers';
    },
    filters: {
      height: isAt('block_number'),
      protocolType: (record, value) =>
        !value.startsWith('token_') || has(record, 'token_standard', value),
    },
    told: { txid: 'tx_hash', height: 'block_number', ...MOVED, txfee: 'tx_fee', ...TOKEN },
  },
  'mainchain/address/normal-transaction-list-multi': {
    dataset: 'transactions',
    filters: { ...SIDE, ...RANGE },
    told: { ...HASHED, ...MOVED, ...PRICED },
  },
  'mainchain/block/block-fills': {
    dataset: 'blocks',
    filters: { height: isAt('block_number') },
    told: { ...BLOCK, txnInternal: 'txn_internal', merkleRootHash: 'merkle_root' },
  },
  'mainchain/transaction/transaction-multi': {
    dataset: 'transactions',
    filters: { txId: isOneOf('tx_hash') },
    told: { ...HASHED, ...MOVED, ...PRICED, state: 'tx_status' },
  },
  'mainchain/transaction/token-transfer-multi': {
    dataset: 'token_transfers',
    filters: { txId: isOneOf('tx_hash'), protocolType: is('token_standard') },
    told: { ...HASHED, ...MOVED, ...TOKEN, symbol: 'symbol' },
  },
  'mainchain/address/native-token-position-list': {
    dataset: 'native_holders',
    filters: {},
    told: { rank: 'holder_rank', holderAddress: 'holder_address', amount: 'amount' },
  },
  'mainchain/address/internal-transaction-list-multi': {
    dataset: 'internal_transactions',
    filters: { address: sentOrReceived, ...RANGE },
    told: { ...HASHED, ...MOVED, operation: 'operation' },
  },
  'mainchain/transaction/internal-transaction-detail': {
    dataset: 'internal_transactions',
    filters: { txId: is('tx_hash') },
    told: { ...HASHED, ...MOVED, operation: 'operation', state: 'tx_status' },
  },
  'mainchain/zone/cross/transaction-list': {
    dataset: 'cross_chain_transfers',
    filters: {
      txid: (record, value) =>
        has(record, 'zone_tx_hash', value) || has(record, 'main_tx_hash', value),
      height: isAt('zone_block_number'),
      startBlockHeight: isAtLeast('zone_block_number'),
      endBlockHeight: isAtMost('zone_block_number'),
      address: (record, value) =>
        ['from_address', 'to_address', 'source_address', 'target_address'].some((column) =>
          has(record, column, value),
        ),
      from: is('from_address'),
      to: is('to_address'),
      tokenContractAddress: is('token_address'),
    },
    told: CROSSED,
  },
  'mainchain/zone/address/transaction-list': {
    dataset: 'zone_transactions',
    filters: { address: is('from_address'), ...RANGE },
    told: ZONE_ACTION,
  },
  'mainchain/zone/block/transaction-list': {
    dataset: 'zone_transactions',
    filters: { height: isAt('block_number') },
    told: ZONE_ACTION,
  },
  'mainchain/zone/block/transaction-list-multi': {
    dataset: 'zone_transactions',
    filters: RANGE,
    told: ZONE_ACTION,
  },
  'mainchain/zone/block/block-list': {
    dataset: 'zone_blocks',
    filters: { height: isAt('block_number') },
    told: { hash: 'block_hash', height: 'block_number', miner: 'miner', blockTime: 'block_time' },
  },
  'mainchain/zone/cross/transaction-multi': {
    dataset: 'cross_chain_transfers',
    filters: { txId: isOneOf('zone_tx_hash') },
    told: { ...CROSSED, zoneEventIndex: 'zone_event_index', batchDetail: 'batch_detail' },
  },
  'mainchain/zone/cross/transaction-fills': {
    dataset: 'cross_chain_transfers',
    filters: { txid: is('zone_tx_hash') },
    told: { ...CROSSED, zoneEventIndex: 'zone_event_index', batchDetail: 'batch_detail' },
  },
  'mainchain/zone/transaction/transaction-fills': {
    dataset: 'zone_transactions',
    filters: { txid: is('tx_hash') },
    told: { ...ZONE_ACTION, nonce: 'action_nonce', actionData: 'action_data' },
  },
};

export function operationAt(path: string): Operation {
  const operation = OPERATIONS[path];
  if (operation === undefined) throw new Error(`nothing is known of ${path}`);
  return operation;
}

/** Every record that a request lists, whatever its page, in the order of the tables. */
export function listedBy(path: string, params: Params, tables: Tables): CanonicalRecord[] {
  const { dataset, filters, defaults = {} } = operationAt(path);
  const query = { ...defaults, ...params };
  const all = tables.get(typeof dataset === 'string' ? dataset : dataset(params)) ?? [];
  return all.filter((record) =>
    Object.entries(filters).every(([name, agrees]) => {
      const value = query[name];
      return value === undefined || agrees(record, value, query);
    }),
  );
}
