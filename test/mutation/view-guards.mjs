/**
 * Guards on which the answers of the warehouse rest; see guards.mjs.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const VIEW_GUARDS = [
  {
    name: 'complete ranges of followed addresses alone',
    file: 'src/load/tables/known-tables.ts',
    text: "FROM ranges WHERE key <> ''",
    without: 'FROM ranges',
    tests: ['test/long/integration/load/query/macros.test.ts'],
  },
  {
    name: 'complete ranges of every list',
    file: 'src/load/tables/known-tables.ts',
    text: 'WHERE complete_lists = lists',
    without: 'WHERE complete_lists > 0',
    tests: ['test/long/integration/load/query/macros.test.ts'],
  },
  {
    name: 'complete from the first block asked for',
    file: 'sql/macros/complete_until.sql',
    text: 'coalesce(first_block, asked_from) BETWEEN from_block AND to_block',
    without: 'true',
    tests: ['test/long/integration/load/query/macros.test.ts'],
  },
  {
    name: 'balances only from block 0 on',
    file: 'sql/views/token_balances.sql',
    text: 'AND known_range.from_block = 0',
    without: '',
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'NFTs only where no block between their legs is missing',
    file: 'sql/views/nft_holdings.sql',
    text: 'coalesce(last_block <= complete_until, false) AS is_gapless',
    without: 'true AS is_gapless',
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'NFTs opened by a movement only where no block before it is missing',
    file: 'sql/views/nft_holdings.sql',
    text: '(first_known_at = first_block OR is_gapless)',
    without: 'true',
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'NFTs of addresses that sent them to themselves',
    file: 'sql/views/nft_holdings.sql',
    text: "net_text = '-1' OR is_to_itself",
    without: "net_text = '-1'",
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'NFTs not proven by transfers that failed',
    file: 'sql/views/nft_holdings.sql',
    text: "FILTER (signed_text IS DISTINCT FROM '0')",
    without: '',
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'NFTs not opened by a block with an unknown movement',
    file: 'sql/views/nft_holdings.sql',
    text: 'unknown_legs > 0 OR status_rank > 1',
    without: 'status_rank > 1',
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'NFTs not opened by a block that is not complete',
    file: 'sql/views/nft_holdings.sql',
    text: 'unknown_legs > 0 OR status_rank > 1',
    without: 'unknown_legs > 0',
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'NFTs only where all transfers of the kind were asked for',
    file: 'sql/views/nft_holdings.sql',
    text: 'has_all AND unknown_legs = 0',
    without: 'unknown_legs = 0',
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'balances only where all transfers of the kind were asked for',
    file: 'sql/views/token_balances.sql',
    text: 'AND has_all_transfers(sums.address, sums.token_address, token_standard, 0)',
    without: '',
    tests: ['test/long/views/holdings.test.ts'],
  },
  {
    name: 'a label for the address of each row',
    file: 'sql/macros/label_of.sql',
    text: 'WHERE _address = lower(wanted)',
    without: 'WHERE true',
    tests: ['test/views/names.test.ts'],
  },
  {
    name: 'no caching operators',
    file: 'src/land/storage/connection.ts',
    text: '; SET enable_caching_operators = false',
    without: '',
    tests: ['test/unit/land/storage/connection.test.ts'],
  },
  {
    name: 'views without joins where nothing has a name',
    file: 'src/load/warehouse-content.ts',
    text: "? 'with names' : 'without names'",
    without: "? 'with names' : 'with names'",
    tests: ['test/views/pushdown.test.ts'],
  },
  {
    name: 'joins where something has a name',
    file: 'src/load/warehouse-content.ts',
    text: "? 'with names' : 'without names'",
    without: "? 'without names' : 'without names'",
    tests: ['test/views/pushdown.test.ts'],
  },
];
