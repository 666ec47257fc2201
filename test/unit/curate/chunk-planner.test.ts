import { beforeEach, expect, test } from 'vitest';
import { computeChunk } from '../../../src/curate/chunk-job.ts';
import { ChunkPlanner } from '../../../src/curate/chunk-planner.ts';
import { CURATED_TABLES } from '../../../src/curate/curated-tables.ts';
import { type RawVersion, rawVersions } from '../../../src/curate/raw-versions.ts';
import { RangePlanner } from '../../../src/curate/rule/range-planner.ts';
import { RangeSession } from '../../../src/curate/rule/range-session.ts';
import { ruleSql } from '../../../src/curate/rule/rule-sql.ts';
import { freshLake } from '../../fixtures/fresh-lake.ts';
import { inBlock, LIST, NORMAL, transaction } from '../../fixtures/load-lake.ts';
import { whenOver } from '../../fixtures/when-over.ts';

const small = freshLake(beforeEach);

/** The endpoints of every row of transactions, where the lists that `isKept` refuses are unknown. */
async function sourcesIn(isKept: (endpoint: string) => boolean): Promise<unknown> {
  const raw = (await rawVersions(small.lake)).map((entry): RawVersion => {
    return { ...entry, coverage: entry.coverage.filter(({ endpoint }) => isKept(endpoint)) };
  });
  const { root: folder } = small;
  const session = await RangeSession.open({ spilledTo: folder, memoryBytes: 2 ** 28 });
  whenOver(() => session.close());
  const rule = await ruleSql();
  const planner = new ChunkPlanner(
    new RangePlanner(session, { axis: 'primary', raw, rule, folder }),
  );
  const tables = CURATED_TABLES.filter(({ name }) => name === 'transactions');
  await computeChunk(session, await planner.job([{ from: 0, to: 99 }], tables));
  const results = await session.connection.runAndReadAll(
    "SELECT array_to_string(sources, ' ') FROM curated.transactions",
  );
  return results.getRows().flat();
}

test('the sources of a transaction are all lists that hold it, those without coverage, too', async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.land(LIST.inBlock, { keys: [''], params: NORMAL, records: [inBlock()] });
  const both = [`${LIST.transactions} ${LIST.inBlock}`];
  expect(await sourcesIn(() => true)).toEqual(both);
  expect(await sourcesIn((endpoint) => endpoint === LIST.transactions)).toEqual(both);
  expect(await sourcesIn((endpoint) => endpoint === LIST.inBlock)).toEqual(both);
  expect(await sourcesIn(() => false)).toEqual(both);
});
