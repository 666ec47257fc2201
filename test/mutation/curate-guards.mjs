/** Guards on which curated tables rest; see guards.mjs. */

const CURATE = ['test/unit/curate/curate.test.ts'];
const FAULTS = ['test/faults/curate.test.ts'];
const COVERAGE_TABLES = ['test/unit/land/coverage-index.test.ts'];
const CHANGED = ['test/unit/land/delta/changed-heights.test.ts'];

/** @type {readonly import('./guards.d.mts').Guard[]} */
export const CURATE_GUARDS = [
  {
    name: 'values from other heights',
    file: 'src/curate/dirty-heights.ts',
    text: 'return normalise([...changed, ...more]);',
    without: 'return normalise([...changed, ...more.slice(more.length)]);',
    tests: CURATE,
  },
  {
    name: 'followed addresses in the environment',
    file: 'src/curate/rule/environment.ts',
    text: 'const followed = new Set(lists.flatMap(({ addresses }) => addresses));',
    without: 'const followed = new Set<string>();',
    tests: CURATE,
  },
  {
    name: 'the id of a raw table',
    file: 'src/curate/dirty-heights.ts',
    text: 'if (isOther) return EVERYTHING;',
    without: '',
    tests: CURATE,
  },
  {
    name: 'heights of look-ups',
    file: 'sql/curated/internal_transactions.sql',
    text: 'is_within_any(t.block_number, u.intervals) AS _is_replaced',
    without: 'u.intervals IS NOT NULL AS _is_replaced',
    tests: CURATE,
  },
  {
    name: 'kept rows without changed heights',
    file: 'src/curate/table-writer.ts',
    text: 'const isDirty = withinSql(identifier(this.table.heightColumn), dirty);',
    without: "const isDirty = dirty.length < 0 ? identifier('') + withinSql('', []) : 'false';",
    tests: CURATE,
  },
  {
    name: 'another curating process',
    file: 'src/curate/table-writer.ts',
    text: 'if (newest.version !== this.#snapshot.version) return undefined;',
    without: 'if (newest.version < this.#snapshot.version) return undefined;',
    tests: FAULTS,
  },
  {
    name: 'heights of reorganisations',
    file: 'src/land/delta/changed-heights.ts',
    text: 'for (const { height } of ledger.reorganisations) heights.push({ from: height, to: NO_END });',
    without: '',
    tests: CHANGED,
  },
  {
    name: 'data changes of other programs',
    file: 'src/land/delta/changed-heights.ts',
    text: 'if (parsed.some(changesData) || ledger !== undefined) return EVERYTHING;',
    without: '',
    tests: CHANGED,
  },
  {
    name: 'curated logs that cannot be read',
    file: 'src/curate/curate.ts',
    text: 'await setAside({ layout: lake.layout, run: lake.run, disk }, folder);',
    without:
      "if (folder === '') await setAside({ layout: lake.layout, run: lake.run, disk }, folder);",
    tests: ['test/e2e/curated-tables.test.ts'],
  },
  {
    name: 'curated tables behind the lake',
    file: 'src/curate/curate.ts',
    text: 'if (!isCurrent) behind.push(table);',
    without: "if (!isCurrent && table.name === '') behind.push(table);",
    tests: ['test/e2e/curated-tables.test.ts'],
  },
  {
    name: 'transactions that were looked up',
    file: 'src/curate/dirty-heights.ts',
    text: '[...own.heights, ...looked]',
    without: '[...own.heights, ...looked.slice(looked.length)]',
    tests: ['test/property/curate.test.ts'],
  },
  {
    name: 'fields of complete lists in rows of others',
    file: 'sql/curated/token_transfers.sql',
    text: 'max(_status_rank) <= 2 AND min(_status_rank) = max(_status_rank)',
    without: 'min(_status_rank) <= 2',
    tests: ['test/contract/views-fields.test.ts'],
  },
  {
    name: 'columns of curated tables in the pushdown',
    file: 'sql/views/token_flows.sql',
    text: '  block_date AS day,',
    without: '  CAST(block_time AS DATE) AS day,',
    tests: ['test/contract/pushdown.test.ts'],
  },
  {
    name: 'no chunk begins after a failure',
    file: 'src/curate/chunk-sessions.ts',
    text: 'waiting.length = 0;',
    without: '',
    tests: ['test/unit/curate/chunk-sessions.test.ts'],
  },
  {
    name: 'runs in the comparison of publications',
    file: 'src/load/warehouse.ts',
    text: 'if (shown.runsDigest === update.runsDigest) return',
    without: 'return',
    tests: ['test/unit/load/publication.test.ts'],
  },
  {
    name: 'digests of logs in the comparison of publications',
    file: 'src/load/warehouse-content.ts',
    text: 'versions.map(({ dataset, logDigest }) => [dataset, logDigest]),',
    without: 'versions.map(({ dataset }) => [dataset]),',
    tests: ['test/unit/load/publication.test.ts'],
  },
  {
    name: 'fields of other lists only where these have all copies',
    file: 'sql/macros/filled.sql',
    text: 'CASE WHEN is_sure THEN other END',
    without: 'other',
    tests: ['test/property/curate.test.ts'],
  },
  {
    name: 'fields of other lists only where all copies agree',
    file: 'sql/macros/agreed.sql',
    text: 'CASE WHEN lowest = highest THEN lowest END',
    without: 'lowest',
    tests: ['test/property/curate.test.ts'],
  },
  {
    name: 'several intervals of a look-up by hash',
    file: 'sql/macros/is_within_any.sql',
    text: 'height BETWEEN i.from_block AND i.to_block',
    without: 'true',
    tests: ['test/property/curate.test.ts'],
  },
  {
    name: 'coverage of a table that was fetched again',
    file: 'src/land/coverage-changes.ts',
    text: 'const isSame = former >= 0 && transactions.get(name) === former;',
    without: 'const isSame = transactions.has(name);',
    tests: COVERAGE_TABLES,
  },
  {
    name: 'reorganisations in coverage tables',
    file: 'src/land/coverage-changes.ts',
    text: 'if (isOpenEnded || hashes.size',
    without: 'if (hashes.size',
    tests: COVERAGE_TABLES,
  },
  {
    name: 'damage of files that coverage tables copy',
    file: 'src/land/coverage-index.ts',
    text: 'if (await this.#isAnyDamaged(removed)) return undefined;',
    without: '',
    tests: COVERAGE_TABLES,
  },
  {
    name: 'unreadable files of coverage tables',
    file: 'src/land/coverage-index.ts',
    text: 'if (counts === undefined) return undefined;',
    without: "if (counts === undefined) throw new Error('unreadable');",
    tests: COVERAGE_TABLES,
  },
];
