import type { Axis } from '../catalogue/entry.ts';

/** A curated table, as `sql/curated` defines its rows. */
export interface CuratedTable {
  readonly name: string;
  readonly axis: Axis;
  /** The file of `sql/curated` with the query of its rows. */
  readonly file: string;
  readonly heightColumn: string;
  /** The hash of a row's transaction on its chain; that of its raw table, too, if it has one. */
  readonly hashColumn?: string;
  /** Sort columns of the rows in a file. */
  readonly sortedBy: readonly string[];
  /** The file of `sql/curated` with the legs of a ledger (`known.legs`). */
  readonly legs?: string;
  /** Tables that its axis reads at all heights: a raw one, and a curated one as it is on disk. */
  readonly reads?: { readonly raw: string; readonly stored: string };
  /** Its rows are those of the queries of `sql/evidence`. */
  readonly isEvidence?: boolean;
  /** All values of columns of windrow's own words, if nearly every row group has all of them. */
  readonly values?: Readonly<Record<string, readonly string[]>>;
  /** Rows per row group, if they are not as many as in other tables. */
  readonly rowGroupRows?: number;
  /** Every text column has a Bloom filter, so that a look-up by hash reads few row groups. */
  readonly hasBloomFilters?: boolean;
}

type More = Partial<Omit<CuratedTable, 'name' | 'axis' | 'sortedBy'>>;

function table(
  name: string,
  axis: Axis,
  sortedBy: readonly string[],
  { file = name, heightColumn = 'block_number', ...more }: More = {},
): CuratedTable {
  return { name, axis, file, heightColumn, sortedBy, ...more };
}

const HASH = { hashColumn: 'tx_hash' };
/**
 * Every file of a ledger has rows of most addresses, and a question is about one: small groups skip
 * more. Bloom filters of small groups are made in a seventh less time.
 */
const SMALL_GROUP_ROWS = 20_480;
const LEDGER_ORDER = ['address', 'block_number'];
const LEDGER = {
  ...HASH,
  rowGroupRows: SMALL_GROUP_ROWS,
  values: {
    leg: ['value', 'fee', 'internal', 'token', 'cross_chain', 'zone'],
    direction: ['out', 'in'],
    source: [
      'transactions',
      'internal_transactions',
      'token_transfers',
      'cross_chain_transfers',
      'zone_transactions',
    ],
  },
};

const EVIDENCE = { file: 'evidence', heightColumn: 'height', isEvidence: true };

/** All curated tables. Within an axis, every table comes after those that its query reads. */
export const CURATED_TABLES: readonly CuratedTable[] = [
  table('transactions', 'primary', ['block_number', 'tx_hash'], {
    ...HASH,
    rowGroupRows: SMALL_GROUP_ROWS,
    hasBloomFilters: true,
  }),
  table('internal_transactions', 'primary', ['block_number', 'tx_hash', 'list_position'], HASH),
  table('token_transfers', 'primary', ['block_number', 'tx_hash', 'token_address'], {
    ...HASH,
    reads: { raw: 'token_transfers', stored: 'token_transfers' },
  }),
  table('blocks', 'primary', ['block_number', 'block_hash']),
  table('native_holders', 'primary', ['as_of_block', 'holder_rank'], {
    heightColumn: 'as_of_block',
  }),
  table('address_activity', 'primary', LEDGER_ORDER, { ...LEDGER, legs: 'primary_legs' }),
  table('check_evidence', 'primary', ['check_name', 'height'], EVIDENCE),
  table('zone_transactions', 'zone', ['block_number', 'tx_hash'], HASH),
  table('cross_chain_transfers', 'zone', ['zone_block_number', 'zone_tx_hash'], {
    heightColumn: 'zone_block_number',
    hashColumn: 'zone_tx_hash',
  }),
  table('zone_blocks', 'zone', ['block_number', 'block_hash']),
  table('zone_address_activity', 'zone', LEDGER_ORDER, {
    ...LEDGER,
    file: 'address_activity',
    legs: 'zone_legs',
  }),
  table('cross_chain_journeys', 'zone', ['zone_block_number', 'zone_tx_hash'], {
    heightColumn: 'zone_block_number',
    hashColumn: 'zone_tx_hash',
    reads: { raw: 'cross_chain_transfers', stored: 'transactions' },
  }),
  table('zone_check_evidence', 'zone', ['check_name', 'height'], EVIDENCE),
];

/** The tables that the queries of an axis read at all heights. */
export function readsOf(axis: Axis): { readonly raw: string; readonly stored: string } {
  const reads = CURATED_TABLES.find((table) => table.axis === axis && table.reads)?.reads;
  if (reads === undefined) throw new Error(`no curated table of the ${axis} axis has reads`);
  return reads;
}
