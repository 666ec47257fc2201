const FETCH = ['test/unit/fetch/walk/pending-records.test.ts'];
const LAND = ['test/integration/land/rows/pending-table.test.ts'];

/**
 * The guards that keep pending records apart from mined ones.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const PENDING_GUARDS = [
  {
    name: 'pending records have no height',
    file: 'src/fetch/walk/pending-records.ts',
    text: 'return text(column) === undefined && !isOdd(endpoint, record, column);',
    without: 'return !isOdd(endpoint, record, column);',
    tests: FETCH,
  },
  {
    name: 'pending records have the state',
    file: 'src/fetch/walk/pending-records.ts',
    text: 'text(pending.state.column) === pending.is',
    without: 'true',
    tests: FETCH,
  },
  {
    name: 'pending records of other keys',
    file: 'src/fetch/walk/pending-records.ts',
    text: 'identity === undefined || matchedKeys(endpoint, record, of).length === 0',
    without: 'identity === undefined',
    tests: FETCH,
  },
  {
    name: 'pending records without a hash',
    file: 'src/fetch/walk/pending-records.ts',
    text: '? identityOf(endpoint, of, record)',
    without: "? (identityOf(endpoint, of, record) ?? '')",
    tests: FETCH,
  },
  {
    name: 'pending records of each part',
    file: 'src/fetch/walk/pending-records.ts',
    text: 'if (matchedKeys(slice.list.entry, record, slice).length === 0) continue;',
    without: '',
    tests: FETCH,
  },
  {
    name: 'places of pending records on a page',
    file: 'src/fetch/walk/pending-records.ts',
    text: 'return records.length + pending.length;',
    without: 'return records.length + 0 * pending.length;',
    tests: FETCH,
  },
  {
    name: 'pages of nothing but pending records',
    file: 'src/fetch/walk/heights/walk-heights.ts',
    text: 'if (this.#judge.heights(shown).length === 0) {',
    without: 'if (shown.length < 0) {',
    tests: FETCH,
  },
  {
    name: 'pending records on full pages',
    file: 'src/fetch/walk/heights/page-judge.ts',
    text: 'const count = listedOn(reply);\n    if (count === 0) return undefined;',
    without: 'const count = reply.records.length;\n    if (count === 0) return undefined;',
    tests: FETCH,
  },
  {
    name: 'pages of pending records do not end a list',
    file: 'src/fetch/walk/read-to-the-end.ts',
    text: 'reply === undefined || listedOn(reply) === 0 || isOther',
    without: 'reply === undefined || reply.records.length === 0 || isOther',
    tests: FETCH,
  },
  {
    name: 'pending answers',
    file: 'src/fetch/walk/look-up.ts',
    text: 'else if (all.length === 0) reason',
    without: 'else if (found.length === 0) reason',
    tests: FETCH,
  },
  {
    name: 'pending answers are not final',
    file: 'src/fetch/walk/look-up.ts',
    text: "status: 'provisional', reason: PENDING_REASON",
    without: "status: 'complete', reason: PENDING_REASON",
    tests: FETCH,
  },
  {
    name: 'pending and mined at once',
    file: 'src/fetch/walk/look-up.ts',
    text: '} else if (all.length > 1 && identifies(reading)) {',
    without: '} else if (found.length > 1 && identifies(reading)) {',
    tests: FETCH,
  },
  {
    name: 'pending rows of lists that reach further up',
    file: 'src/land/rows/pending-rows.ts',
    text: ' && row.to <= interval.to;',
    without: ';',
    tests: LAND,
  },
  {
    name: 'pending rows after a reading that proves nothing',
    file: 'src/land/rows/pending-rows.ts',
    text: 'return isProven && isOfList',
    without: 'return (isProven || !isProven) && isOfList',
    tests: LAND,
  },
  {
    name: 'newer readings of pending rows',
    file: 'src/land/rows/pending-rows.ts',
    text: 'row.readAtMs > claim.readAtMs',
    without: 'row.readAtMs < 0',
    tests: LAND,
  },
  {
    name: 'broken pending records',
    file: 'src/land/committer.ts',
    text: '[...broken, ...waiting.broken]',
    without: 'broken',
    tests: LAND,
  },
  {
    name: 'pending rows before walks',
    file: 'src/land/committer.ts',
    text:
      'await this.#lake.pending.get(dataset)?.add(batch.pending);\n' +
      '      const table = this.#lake.table(dataset);\n' +
      '      const done = await table.commit(batch.walks, this.#checkpoints[table.dataset.axis]);',
    without:
      'const table = this.#lake.table(dataset);\n' +
      '      const done = await table.commit(batch.walks, this.#checkpoints[table.dataset.axis]);\n' +
      '      await this.#lake.pending.get(dataset)?.add(batch.pending);',
    tests: LAND,
  },
  {
    name: 'mined rows in the view of pending ones',
    file: 'sql/views/pending_transactions.sql',
    text: '  WHERE mined.tx_hash IS NULL\n',
    without: '',
    tests: LAND,
  },
  {
    name: 'pending hashes of a served lake',
    file: 'src/service/lake/availability.ts',
    text: 'parts.filter(({ reason }) => reason !== PENDING_REASON)',
    without: 'parts',
    tests: ['test/long/integration/service/lake/availability.test.ts'],
  },
];
