import { say } from './tally.mjs';
import { windrow } from './windrow.mjs';

/**
 * Another engine rearranges the tables of a copy of a lake, and windrow goes on from there.
 *
 * `optimize(root, layer)` compacts and vacuums the tables of `lake` or `curated`, z-orders the
 * curated ones, and returns by table how many files it `compacted` `into` how many, `zOrdered` and
 * `deleted`. `runNext(roots)` runs a pipeline into all data roots and returns the reports.
 */
export async function compareOptimized(options) {
  const { tally, comparison, roots, before, optimize, runNext } = options;
  const { original, copy } = roots;
  const done = await optimize(copy, 'lake');
  await windrow('load', '--data', copy);
  const rearranged = await optimize(copy, 'curated');
  const [vacuumed = ''] = Object.entries(rearranged).find(([, { deleted }]) => deleted > 0) ?? [];
  const sql = `FROM curated.${vacuumed.split('/').at(-1)}`;
  const refused = await windrow('query', sql, '--data', copy).catch(String);
  const isNamed = /windrow load/.test(refused);
  tally.holds('a query names the way out of vacuumed tables', isNamed, `${sql}: ${refused}`);
  await windrow('load', '--data', copy);
  const after = await comparison.lake('after a foreign OPTIMIZE', copy);
  for (const [table, { operations }] of after.logs) {
    tally.holds(`${table}: another engine compacted it`, operations.includes('OPTIMIZE'));
    // The table may have a single file already, because a run of windrow merged its files.
    const { into, compacted } = done[table];
    tally.holds(
      `${table}: compaction made fewer files`,
      into < Math.max(compacted, 2),
      done[table],
    );
    tally.holds(`${table}: another engine deleted files`, done[table].deleted > 0);
    tally.equal(`${table}: coverage is kept`, after.coverage[table], before.coverage[table]);
  }
  for (const [table, { operations }] of after.curatedLogs) {
    const { zOrdered, deleted } = rearranged[table];
    tally.holds(`curated ${table}: another engine z-ordered it`, operations.includes('OPTIMIZE'));
    tally.holds(`curated ${table}: another engine deleted files`, zOrdered > 0 && deleted > 0);
  }
  const ledger = after.curatedLogs.get('MAINCHAIN/address_activity');
  tally.holds('a z-ordered table has several files', ledger.files.length > 1);
  comparison.readers('OPTIMIZE', after, before, (facts) => facts);
  tally.equal('OPTIMIZE changes no curated table', after.curated, before.curated);
  const { damaged, tables } = await windrow('verify', '--data', copy);
  tally.equal('a foreign OPTIMIZE is no damage', damaged, []);
  const isCounted = ({ unprovenEntries }) => unprovenEntries.length > 0;
  tally.holds('its entries are counted as unproven', tables.some(isCounted));

  const [untouched, optimized] = await runNext([original, copy]);
  say(`the next run: ${untouched.planned.slices} slices, ${untouched.actual.rows} rows`);
  tally.equal('the next run plans the same', optimized.planned.slices, untouched.planned.slices);
  // Which of two groups lands a record that both list is chance; the sum is not.
  const grown = ({ actual }) => actual.rows - actual.rowsReplaced;
  tally.equal('the next run adds as many rows', grown(optimized), grown(untouched));
  const expected = await comparison.lake('a run later', original);
  const actual = await comparison.lake('a run later, on the optimized copy', copy);
  for (const [table, { rows }] of actual.logs) {
    tally.holds(`${table}: the next run adds rows`, rows > before.logs.get(table).rows);
  }
  tally.equal('the next run leaves the same coverage', actual.coverage, expected.coverage);
  const covered = await windrow('verify', '--data', copy);
  tally.equal('a run on top of it is no damage', covered.damaged, []);
  comparison.readers('OPTIMIZE and a run', actual, expected, (facts) => facts.stableDigest);
  tally.equal('OPTIMIZE and a run change no curated table', actual.curated, expected.curated);
  await comparison.rebuilt(copy, actual);
}
