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

function texts(names: string, table = FRAGMENTS): MessageMember[] {
  return names.split(' ').map((name) => {
    const meaning = name.replaceAll('_', ' ');
    return { name, meaning, form: 'hex', isAlways: true, table };
  });
}

export const FRAGMENT_MEMBERS: readonly MessageMember[] = [
  {
    name: 'index',
    meaning: 'index of the fragment within the block',
    form: 'integer',
    isAlways: true,
    table: FRAGMENTS,
  },
  ...texts('payload_id'),
  {
    name: 'base',
    meaning: 'properties of the block, at index 0 only',
    form: 'object',
    isAlways: false,
    table: FRAGMENTS,
    members: texts(
      'base_fee_per_gas block_number extra_data fee_recipient gas_limit ' +
        'parent_beacon_block_root parent_hash prev_randao timestamp',
    ),
  },
  {
    name: 'diff',
    meaning: 'content that this fragment adds',
    form: 'object',
    isAlways: true,
    table: FRAGMENTS,
    members: [
      ...texts('blob_gas_used block_hash gas_used logs_bloom receipts_root state_root'),
      {
        name: 'transactions',
        meaning: 'raw transactions of this fragment',
        form: 'list',
        isAlways: true,
        table: 'preconf_transactions',
      },
      {
        name: 'withdrawals',
        meaning: 'withdrawals',
        form: 'list',
        isAlways: true,
        table: FRAGMENTS,
      },
      ...texts('withdrawals_root'),
    ],
  },
  {
    name: 'metadata',
    meaning: 'side information',
    form: 'object',
    isAlways: true,
    table: FRAGMENTS,
    members: [
      {
        name: 'block_number',
        meaning: 'height of the block',
        form: 'integer',
        isAlways: true,
        table: FRAGMENTS,
      },
      {
        name: 'new_account_balances',
        meaning: 'balances in hex by address',
        form: 'map',
        isAlways: true,
        table: 'preconf_balances',
      },
      {
        name: 'receipts',
        meaning: 'receipts by hash, each by the name of its type',
        form: 'map',
        isAlways: true,
        table: 'preconf_receipts',
      },
    ],
  },
];
