import { type CapturedShape, type Column, column } from '../entry.ts';

/** The tables of the comparisons of the ledger with nodes of the primary chain. */

const SUBJECT: readonly Column[] = [
  column('chain', 'VARCHAR', 'Short name of the chain'),
  column('address', 'VARCHAR', 'Address, in lower case; NULL for blocks and receipts'),
  column(
    'asset_kind',
    'VARCHAR',
    'native, nonce, token_20, token_721, token_1155 or token_10; or blocks, receipts',
  ),
  column('token_address', 'VARCHAR', 'Contract of the token'),
  column('token_id', 'VARCHAR', 'Id of the token, for token_1155'),
];
const READ_AT = column('read_at', 'TIMESTAMPTZ', 'When the reconciliation began [UTC]');

const RECONCILIATIONS: CapturedShape = {
  name: 'reconciliations',
  summary: 'Comparisons of the ledger of an address and asset with nodes, one row each',
  heightColumn: 'to_block',
  sortedBy: ['address', 'asset_kind', 'token_address'],
  columns: [
    ...SUBJECT,
    column('from_block', 'BIGINT', 'First block of the compared range'),
    column('to_block', 'BIGINT', 'Last block of the compared range'),
    column('opening', 'VARCHAR', 'Balance before the first block, of the node [smallest unit]'),
    column('moved', 'VARCHAR', 'Sum of the ledger over the range [smallest unit]'),
    column('closing', 'VARCHAR', 'Balance after the last block, of the node [smallest unit]'),
    column('expected', 'VARCHAR', 'opening and moved together [smallest unit]'),
    column('difference', 'VARCHAR', 'closing less expected [smallest unit]'),
    column('verdict', 'VARCHAR', 'agrees, differs, explained or not_checked'),
    column('cause', 'VARCHAR', 'Class of the difference, or the reason of not_checked'),
    column('witness', 'VARCHAR', 'Origins of the nodes that gave the balances'),
    column('witness_head', 'BIGINT', 'Newest block of the nodes'),
    column('client_version', 'VARCHAR', 'Version that the nodes state'),
    column('calls', 'BIGINT', 'Readings of a node for this row'),
    READ_AT,
  ],
};

const RECONCILIATION_FINDINGS: CapturedShape = {
  name: 'reconciliation_findings',
  summary: 'Movements that the ledger or the chain lacks, found by reconciliations',
  heightColumn: 'block_number',
  sortedBy: ['address', 'asset_kind', 'token_address'],
  columns: [
    ...SUBJECT,
    column('block_number', 'BIGINT', 'Height of the movement on the chain'),
    column('tx_hash', 'VARCHAR', 'Hash of its transaction; NULL where it has none or is unknown'),
    column('log_index', 'BIGINT', 'Index of the event in its block, for tokens'),
    column('what', 'VARCHAR', 'missing, extra, changed, moved, unnamed, or the class'),
    column('leg', 'VARCHAR', 'value, fee, internal, token, nonce, withdrawal, reward or block'),
    column('from_address', 'VARCHAR', 'Sender'),
    column('to_address', 'VARCHAR', 'Recipient'),
    column('amount', 'VARCHAR', 'Exact amount on the chain [smallest unit]'),
    column('ledger_amount', 'VARCHAR', 'Exact amount in the ledger [smallest unit]'),
    column('ledger_block', 'BIGINT', 'Height of the movement in the ledger'),
    column('verdict', 'VARCHAR', 'differs, or explained by its class'),
    READ_AT,
  ],
};

export const RECONCILIATION_TABLES = [RECONCILIATIONS, RECONCILIATION_FINDINGS] as const;
