import { expect } from 'vitest';
import type { QueryRow } from '../../src/load/query.ts';
import { sqlFiles } from '../../src/load/sql-files.ts';
import type { SmallLake } from './load-lake.ts';

/** The findings of one check alone over the lake as it is; every one of them has a sentence. */
export async function findingsOf(small: SmallLake, check: string): Promise<readonly QueryRow[]> {
  await small.publish();
  const file = (await sqlFiles('checks')).find(({ name }) => name === check);
  if (file === undefined) throw new Error(`there is no check ${check}`);
  const { rows } = await small.ask(file.sql);
  for (const row of rows) expect(row['finding']).toMatch(/\w+ \w+/);
  return rows;
}
