import { type CapturedShape, column } from '../entry.ts';

/** The tables of the interface's stream of preconfirmed block fragments (Events). */

const FRAME = [
  column('frame', 'BIGINT', 'Number of the frame in the journal, in the order of receipt'),
  column('received_at', 'TIMESTAMPTZ', 'When the frame was received [UTC]'),
];
/** The columns that begin the tables of fragments. */
const FRAGMENT = [
  column('payload_id', 'VARCHAR', 'Payload of the fragment; a height may have several'),
  column('fragment_index', 'BIGINT', 'Index of the fragment in its payload, from 0'),
  column('block_number', 'BIGINT', 'Height of the block; NULL if no fragment named it so far'),
  ...FRAME,
];

const PRECONF_FRAGMENTS: CapturedShape = {
  name: 'preconf_fragments',
  summary: 'Fragments of preconfirmed blocks, one row per message of the stream',
  heightColumn: 'block_number',
  sortedBy: ['payload_id', 'fragment_index', 'frame'],
  columns: [
    ...FRAGMENT,
    column('network', 'VARCHAR', 'Network of the stream, as the pipeline names it'),
    column('content_hash', 'VARCHAR', 'SHA-256 of the decoded message'),
    column('is_end', 'BOOLEAN', 'The message only says that its payload has ended'),
    column('target_index', 'BIGINT', 'Last index of the payload, where the message gives it'),
    column('has_base', 'BOOLEAN', 'The message has the properties of the block'),
    column('tx_count', 'BIGINT', 'Transactions of this fragment alone'),
    column('tx_hashes', 'VARCHAR[]', 'Their hashes, in order'),
    column('block_hash', 'VARCHAR', 'Hash of the block so far; need not be canonical'),
    column('state_root', 'VARCHAR', 'State root of the block so far; may be all zeros'),
    column('receipts_root', 'VARCHAR', 'Receipts root of the block so far'),
    column('logs_bloom', 'VARCHAR', 'Bloom filter of the logs so far'),
    column('gas_used', 'DECIMAL(20,0)', 'Gas used by the block so far [gas]'),
    column('blob_gas_used', 'DECIMAL(20,0)', 'Blob gas used by the block so far [gas]'),
    column('withdrawals', 'VARCHAR', 'Withdrawals, as JSON'),
    column('withdrawals_root', 'VARCHAR', 'Withdrawals root of the block so far'),
    column('parent_hash', 'VARCHAR', 'Hash of the parent block'),
    column('parent_beacon_block_root', 'VARCHAR', 'Root of the parent beacon block'),
    column('prev_randao', 'VARCHAR', 'Randomness of the block'),
    column('fee_recipient', 'VARCHAR', 'Address that receives the fees'),
    column('gas_limit', 'DECIMAL(20,0)', 'Gas limit of the block [gas]'),
    column('block_time', 'TIMESTAMPTZ', 'Time of the block, from its base [UTC]'),
    column('base_fee_per_gas_text', 'VARCHAR', 'Exact base fee [wei]'),
    column('extra_data', 'VARCHAR', 'Extra data of the block'),
    column('extra', 'VARCHAR', 'Members that the interface does not name, and odd values, as JSON'),
  ],
};

const PRECONF_TRANSACTIONS: CapturedShape = {
  name: 'preconf_transactions',
  summary: 'Preconfirmed transactions, decoded from their raw bytes',
  heightColumn: 'block_number',
  sortedBy: ['payload_id', 'fragment_index', 'position'],
  columns: [
    ...FRAGMENT,
    column('position', 'BIGINT', 'Place in the fragment, from 0'),
    column('tx_hash', 'VARCHAR', 'keccak256 of the raw bytes'),
    column('tx_type', 'VARCHAR', 'Type in hex, as in 0x2; 0x7e for deposits'),
    column('from_address', 'VARCHAR', 'Sender from the signature; NULL if it is not valid'),
    column('to_address', 'VARCHAR', 'Recipient, NULL for a creation'),
    column('nonce', 'DECIMAL(20,0)', 'Transactions the sender had sent before; NULL for deposits'),
    column('value_text', 'VARCHAR', 'Exact value [wei]'),
    column('gas_limit', 'DECIMAL(20,0)', 'Gas allowed [gas]'),
    column('max_fee_text', 'VARCHAR', 'Highest price of a unit of gas [wei]'),
    column('max_priority_fee_text', 'VARCHAR', 'Highest tip for a unit of gas [wei]'),
    column('method_id', 'VARCHAR', 'Identifier of the method called'),
    column('raw', 'VARCHAR', 'Raw bytes, in hex'),
    column('is_decoded', 'BOOLEAN', 'The bytes are those of a transaction of a known type'),
  ],
};

const PRECONF_RECEIPTS: CapturedShape = {
  name: 'preconf_receipts',
  summary: 'Receipts of preconfirmed transactions',
  heightColumn: 'block_number',
  sortedBy: ['payload_id', 'fragment_index', 'tx_hash'],
  columns: [
    ...FRAGMENT,
    column('tx_hash', 'VARCHAR', 'Hash of the transaction'),
    column(
      'receipt_type',
      'VARCHAR',
      'Name of the type, as in Legacy or Deposit, or the flat type',
    ),
    column('tx_status', 'VARCHAR', 'success or fail; NULL if the receipt does not say'),
    column('cumulative_gas_used', 'DECIMAL(20,0)', 'Gas of the block up to the transaction [gas]'),
    column('log_count', 'BIGINT', 'Number of logs'),
    column('logs', 'VARCHAR', 'Logs, as JSON'),
    column('extra', 'VARCHAR', 'Other members, and odd values, as JSON'),
  ],
};

const PRECONF_BALANCES: CapturedShape = {
  name: 'preconf_balances',
  summary: 'Balances after the fragments of preconfirmed blocks',
  heightColumn: 'block_number',
  sortedBy: ['payload_id', 'fragment_index', 'address'],
  columns: [
    ...FRAGMENT,
    column('address', 'VARCHAR', 'Address whose balance changed'),
    column('balance_text', 'VARCHAR', 'Exact balance [wei]'),
    column('balance', 'DECIMAL(38,18)', 'Balance; NULL where it does not fit [native token]'),
  ],
};

const PRECONF_GAPS: CapturedShape = {
  name: 'preconf_gaps',
  summary: 'Times in which frames of the stream may be missing, and frames that were not readable',
  heightColumn: 'after_block',
  sortedBy: ['frame'],
  columns: [
    ...FRAME,
    column('after_block', 'BIGINT', 'Newest height before the gap; NULL if there was none'),
    column('from_time', 'TIMESTAMPTZ', 'Last frame before the gap [UTC]'),
    column('to_time', 'TIMESTAMPTZ', 'First moment after the gap [UTC]'),
    column(
      'reason',
      'VARCHAR',
      'start, disconnected, refused, silent, killed, unreadable or stopped',
    ),
    column('detail', 'VARCHAR', 'Close code, error or the first bytes of the frame'),
  ],
};

/** All tables of the stream. Gaps come last: the fragments around a gap land before it. */
export const STREAM_TABLES: readonly CapturedShape[] = [
  PRECONF_FRAGMENTS,
  PRECONF_TRANSACTIONS,
  PRECONF_RECEIPTS,
  PRECONF_BALANCES,
  PRECONF_GAPS,
];
