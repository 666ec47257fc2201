import { windrow } from './windrow.mjs';

/** A lake after windrow has merged its small files and deleted all others, against that before. */
export async function compareMaintained({ tally, comparison, root, before }) {
  const { done } = await windrow('maintain', '--retain', '0d', '--data', root);
  const { merged, written } = done.merges;
  tally.holds('windrow maintain merges files', merged > 2 * written && written > 0);
  tally.holds('windrow maintain deletes files', done.deletes.files > merged);
  const after = await comparison.lake('after windrow maintain', root);
  for (const [table, { files, operations }] of after.logs) {
    const log = before.logs.get(table);
    const isMerged = operations.length > log.operations.length;
    tally.equal(`${table}: merges leave fewer files`, files.length < log.files.length, isMerged);
    tally.equal(`${table}: coverage is kept`, after.coverage[table], before.coverage[table]);
  }
  comparison.readers('windrow maintain', after, before, (facts) => facts);
  tally.equal('windrow maintain changes no curated table', after.curated, before.curated);
  const { damaged, tables } = await windrow('verify', '--data', root);
  tally.equal('windrow maintain leaves no damage', damaged, []);
  tally.equal(
    'windrow maintain leaves no other file',
    tables.flatMap(({ orphans }) => orphans),
    [],
  );
}
