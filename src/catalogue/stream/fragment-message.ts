/** The message of the stream (Events): its members, and the tables in which they land. */

export interface MessageMember {
  readonly name: string;
  readonly meaning: string;
  /** `map`: an object whose keys are addresses or hashes. */
  readonly form: 'integer' | 'hex' | 'list' | 'map' | 'object';
  /** False for members that some messages leave out. */
  readonly isAlways: boolean;
  /** Name of the table of its values. */
  readonly table: string;
  /** Members of an object. */
  readonly members?: readonly MessageMember[];
}

const FRAGMENTS = 'preconf_fragments';

/** A member that every message has. */
function member(
  name: string,
  form: MessageMember['form'],
  meaning = name.replaceAll('_', ' '),
  more: Partial<MessageMember> = {},
): MessageMember {
  return { name, meaning, form, isAlways: true, table: FRAGMENTS, ...more };
}

function texts(names: string): MessageMember[] {
  return names.split(' ').map((name) => member(name, 'hex'));
}

export const FRAGMENT_MEMBERS: readonly MessageMember[] = [
  member('index', 'integer', 'index of the fragment within the block'),
  ...texts('payload_id'),
  member('base', 'object', 'properties of the block, at index 0 only', {
    isAlways: false,
    members: texts(
      'base_fee_per_gas block_number extra_data fee_recipient gas_limit ' +
        'parent_beacon_block_root parent_hash prev_randao timestamp',
    ),
  }),
  member('diff', 'object', 'content that this fragment adds', {
    members: [
      ...texts('blob_gas_used block_hash gas_used logs_bloom receipts_root state_root'),
      member('transactions', 'list', 'raw transactions of this fragment', {
        table: 'preconf_transactions',
      }),
      member('withdrawals', 'list'),
      ...texts('withdrawals_root'),
    ],
  }),
  member('metadata', 'object', 'side information', {
    members: [
      member('block_number', 'integer', 'height of the block'),
      member('new_account_balances', 'map', 'balances in hex by address', {
        table: 'preconf_balances',
      }),
      member('receipts', 'map', 'receipts by hash, each by the name of its type', {
        table: 'preconf_receipts',
      }),
    ],
  }),
];
