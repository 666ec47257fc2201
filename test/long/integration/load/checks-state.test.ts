import { beforeEach, describe, expect, test } from 'vitest';
import type { CheckOptions, CheckResult } from '../../../../src/load/checks/run-checks.ts';
import { checkSmall } from '../../../fixtures/check-findings.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { internal, LIST, transaction } from '../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';

/** Goal: checks report every finding that stands, and run once over each content. */

const small = freshLake(beforeEach);
let steps: string[] = [];

beforeEach(async () => {
  steps = [];
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.land(LIST.transactionsByHash, { keys: ['0x01'] });
  await small.publish();
});

function check(more: Partial<CheckOptions> = {}): Promise<CheckResult[]> {
  steps = [];
  const reached = (step: string): void => {
    steps.push(step);
  };
  return checkSmall(small, { effects: quietEffects({ reached }), ...more });
}

const sentences = (results: readonly CheckResult[]) =>
  results.flatMap(({ check: name, findings }) => findings.map(({ finding }) => [name, finding]));

const LACKED = [
  'missing_records',
  `The list ${LIST.transactionsByHash} of 0x01 lacks 1 record of transactions in block 10 that ` +
    'other complete lists hold',
];

describe('the findings of checks', () => {
  test('are stored with the warehouse, and are reported until its content changes', async () => {
    const first = await check();
    expect(sentences(first)).toContainEqual(LACKED);
    expect(await check({ isKept: true })).toEqual(first);
    expect(steps).toContain('checks run');
    const only = ['missing_records'];
    expect(await check({ only })).toEqual(first.filter((result) => only.includes(result.check)));
    expect(await check({ isKept: true })).toEqual(first);
    expect(steps).toEqual([]);
    await small.land(LIST.transactions, { keys: ['0xb'] });
    await small.publish();
    expect(sentences(await check())).toContainEqual(LACKED);
    expect(steps).toEqual(['checks run']);
  });

  test('stand beside those of rows that landed since', async () => {
    await check();
    const records = [internal({ from: '0xc', height: '55' })];
    await small.land(LIST.internal, { keys: ['0xz'], from: 50, to: 60, records });
    await small.publish();
    const lines = sentences(await check());
    expect(lines).toContainEqual(LACKED);
    expect(lines.map(([name]) => name)).toContain('orphans');
  });

  test('go when the rows that they are about were read again', async () => {
    await check();
    await small.land(LIST.transactionsByHash, { keys: ['0x01'], records: [transaction()] });
    await small.publish();
    expect(sentences(await check()).map(([name]) => name)).not.toContain('missing_records');
  });

  test('go when a look-up no longer holds the record that others lack', async () => {
    await small.land(LIST.internal, { keys: ['0xa'] });
    // No other row names this transaction.
    const by = { keys: ['0x77'], from: 0, to: 99 };
    await small.land(LIST.internalByHash, { ...by, records: [internal({ txId: '0x77' })] });
    await small.publish();
    const lacks = async () =>
      sentences(await check()).filter(([, finding]) => String(finding).includes(LIST.internal));
    expect(await lacks()).toHaveLength(1);
    await small.land(LIST.internalByHash, by);
    await small.publish();
    expect(await lacks()).toEqual([]);
  });
});
