import { beforeAll, expect, test } from 'vitest';
import { windrow } from '../../../e2e/command-line.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { LIST, transaction } from '../../../fixtures/load-lake.ts';

/** Goal: who asks for a time that later commits can still change is told so, and nobody else is. */

const small = freshLake(beforeAll);
beforeAll(async () => {
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction({ txId: '0x01' })] });
  await small.publish();
});
const SQL = 'SELECT count(*)::INT AS n FROM lake.transactions';

const asOf = (moment: string) =>
  windrow(['query', SQL, '--as-of', moment, '--data', small.root, '--json']);

test.each(['2999-01-01', 'transactions@0'])('%s is answered with a note', async (moment) => {
  const { code, stdout, stderr } = await asOf(moment);
  expect([code, JSON.parse(stdout)]).toEqual([0, [{ n: 1 }]]);
  expect(stderr).toContain(`No version is later than ${moment} so far`);
});

test('a time before the first commit is refused, without a note', async () => {
  const { code, stdout, stderr } = await asOf('2000-01-01');
  expect(code).toBe(2);
  expect(`${stdout}${stderr}`).toContain('The lake had no rows at 2000-01-01T00:00:00.000Z.');
  expect(stderr).not.toContain('No version is later');
});
