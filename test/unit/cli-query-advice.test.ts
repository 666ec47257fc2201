import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Console } from '../../src/cli/console.ts';
import { exportVerb } from '../../src/cli/export.ts';
import { queryVerb } from '../../src/cli/query.ts';
import { SmallLake, TRANSACTIONS, transaction } from './load-lake.ts';

let small: SmallLake;
beforeAll(async () => {
  small = await SmallLake.open();
  await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
  await small.publish();
});
afterAll(() => small.close());

const quiet: Console = {
  out: () => undefined,
  note: () => undefined,
  isJson: true,
  isTerminal: false,
  columns: 100,
};
const asked = (sql: string) =>
  queryVerb({ sql, data: small.root, maxRows: '5', timeout: '60' }, quiet);

const ELSEWHERE = [
  "SELECT * FROM read_text('/etc/hostname')",
  "FROM '/elsewhere/mine.csv'",
  "FROM read_csv('https://service.example/mine.csv')",
];

describe('SQL that names a file elsewhere', () => {
  it.each(ELSEWHERE)('%s is told what SQL reads, and how else to get the file in', async (sql) => {
    const exported = { what: [], sql, name: 'mine', force: false, rawText: false, timeout: '60' };
    const write = () => exportVerb({ ...exported, data: small.root }, quiet);
    for (const ask of [() => asked(sql), write]) {
      await expect(ask()).rejects.toMatchObject({
        kind: 'query',
        exitCode: 2,
        message: expect.stringContaining('Cannot access file') as string,
        advice: expect.stringMatching(
          `^SQL here reads the lake and files below its data root.* below ${small.root} .*connect`,
        ) as string,
      });
    }
  });
});

describe('other refusals', () => {
  it.each(['SELECT nothing', "FROM read_parquet('/moved/lake/MAINCHAIN/transactions/a.parquet')"])(
    '%s keep their own advice',
    async (sql) => {
      await expect(asked(sql)).rejects.toMatchObject({
        advice: expect.stringContaining('windrow load') as string,
      });
    },
  );
});
