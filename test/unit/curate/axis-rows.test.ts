import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { ChunkSessions } from '../../../src/curate/chunk-sessions.ts';
import { CURATED_TABLES } from '../../../src/curate/curated-tables.ts';
import { type RawVersion, rawVersions } from '../../../src/curate/raw-versions.ts';
import { ruleSql } from '../../../src/curate/rule/rule-sql.ts';
import {
  IN_BLOCK,
  inBlock,
  NORMAL,
  SmallLake,
  TRANSACTIONS,
  transaction,
} from '../../fixtures/load-lake.ts';

let small: SmallLake;
beforeEach(async () => {
  small = await SmallLake.open();
});
afterEach(() => small.close());

/** The endpoints of every row of transactions, where the lists that `isKept` refuses are unknown. */
async function sourcesIn(isKept: (endpoint: string) => boolean): Promise<unknown> {
  const raw = (await rawVersions(small.lake)).map((each): RawVersion => {
    return { ...each, coverage: each.coverage.filter(({ endpoint }) => isKept(endpoint)) };
  });
  const sessions = new ChunkSessions({
    axis: 'primary',
    raw,
    rule: await ruleSql(),
    spilledTo: join(small.root, 'spilled'),
    stored: { name: 'token_transfers', paths: [] },
  });
  try {
    const rows = await sessions.first();
    await rows.enter([{ from: 0, to: 99 }]);
    const table = CURATED_TABLES.find(({ name }) => name === 'transactions');
    if (table === undefined) throw new Error('there is no table of transactions');
    await rows.compute(table);
    const found = await rows.session.connection.runAndReadAll(
      "SELECT array_to_string(sources, ' ') FROM curated.transactions",
    );
    return found.getRows().flat();
  } finally {
    sessions.close();
  }
}

test('the sources of a transaction are all lists that hold it, those without coverage, too', async () => {
  await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
  await small.land(IN_BLOCK, { keys: [''], params: NORMAL, records: [inBlock()] });
  const both = [`${TRANSACTIONS} ${IN_BLOCK}`];
  expect(await sourcesIn(() => true)).toEqual(both);
  expect(await sourcesIn((endpoint) => endpoint === TRANSACTIONS)).toEqual(both);
  expect(await sourcesIn((endpoint) => endpoint === IN_BLOCK)).toEqual(both);
  expect(await sourcesIn(() => false)).toEqual(both);
});
