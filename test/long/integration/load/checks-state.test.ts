import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import type { CheckOptions, CheckResult } from '../../../../src/load/checks/run-checks.ts';
import { checkSmall } from '../../../fixtures/check-findings.ts';
import {
  INTERNAL,
  INTERNAL_BY_HASH,
  internal,
  SmallLake,
  TRANSACTIONS,
  TRANSACTIONS_BY_HASH,
  transaction,
} from '../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';

/** Goal: checks report every finding that stands, and read no more than they must to know it. */

let small: SmallLake;
let steps: string[] = [];

beforeEach(async () => {
  small = await SmallLake.open();
  steps = [];
  await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
  await small.land(TRANSACTIONS_BY_HASH, { keys: ['0x01'] });
  await small.publish();
});

afterEach(() => small.close());

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
  `The list ${TRANSACTIONS_BY_HASH} of 0x01 lacks 1 record of transactions in block 10 that ` +
    'other complete lists hold',
];

const folder = () => small.lake.layout.checksOf('MAINCHAIN');

describe('the findings of the last checks', () => {
  test('are reported again while no version has moved, without any work', async () => {
    const first = await check();
    expect(sentences(first)).toContainEqual(LACKED);
    expect(steps).toEqual(['evidence written', 'findings stored']);
    expect(await check()).toEqual(first);
    expect(steps).toEqual([]);
  });

  test('are found again on demand, and those of single checks without storing them', async () => {
    const first = await check();
    expect(await check({ isAll: true })).toEqual(first);
    expect(steps).toEqual(['evidence written', 'findings stored']);
    const only = ['missing_records'];
    const one = first.filter((result) => only.includes(result.check));
    expect(await check({ isAll: true, only })).toEqual(one);
    expect(steps).toEqual(['evidence written']);
    expect(await check({ only })).toEqual(one);
    expect(steps).toEqual([]);
  });

  test('stand beside those of rows that landed since', async () => {
    await check();
    const records = [internal({ from: '0xc', height: '55' })];
    await small.land(INTERNAL, { keys: ['0xz'], from: 50, to: 60, records });
    await small.publish();
    const found = sentences(await check());
    expect(found).toContainEqual(LACKED);
    expect(found.map(([name]) => name)).toContain('orphans');
  });

  test('go when the rows that they are about were read again', async () => {
    await check();
    await small.land(TRANSACTIONS_BY_HASH, { keys: ['0x01'], records: [transaction()] });
    await small.publish();
    expect(sentences(await check()).map(([name]) => name)).not.toContain('missing_records');
  });

  test('go when a look-up no longer holds the record that others lack', async () => {
    await small.land(INTERNAL, { keys: ['0xa'] });
    // No other row names this transaction.
    const by = { keys: ['0x77'], from: 0, to: 99 };
    await small.land(INTERNAL_BY_HASH, { ...by, records: [internal({ txId: '0x77' })] });
    await small.publish();
    const lacks = async () =>
      sentences(await check()).filter(([, finding]) => String(finding).includes(INTERNAL));
    expect(await lacks()).toHaveLength(1);
    await small.land(INTERNAL_BY_HASH, by);
    await small.publish();
    expect(await lacks()).toEqual([]);
  });

  test.each(['checks.json', 'evidence'])(
    'are found again if the file %s is damaged',
    async (of) => {
      const first = await check();
      const name = (await readdir(folder())).find((each) => each.startsWith(of)) ?? '';
      const path = join(folder(), name);
      const bytes = await readFile(path);
      const at = Math.floor(bytes.length / 2);
      bytes.writeUInt8(bytes.readUInt8(at) ^ 1, at);
      await writeFile(path, bytes);
      expect(await check()).toEqual(first);
      expect(steps).toEqual(['evidence written', 'findings stored']);
    },
  );

  test('are right if other checks end first and remove the evidence of former ones', async () => {
    await check();
    await small.land(TRANSACTIONS, { keys: ['0xb'] });
    await small.publish();
    let others: CheckResult[] = [];
    const makeFolder = async (path: string): Promise<void> => {
      if (others.length === 0) others = await checkSmall(small);
      await localDisk.makeFolder(path);
    };
    expect(await check({ disk: { ...localDisk, makeFolder } })).toEqual(others);
    expect(sentences(others)).toContainEqual(LACKED);
    expect(await check()).toEqual(others);
  });

  test('leave one file of evidence for each chain, and nothing in staging', async () => {
    await check();
    await small.land(TRANSACTIONS, { keys: ['0xb'] });
    await small.publish();
    await check();
    const names = (await readdir(folder())).map((name) => name.split('-')[0]);
    expect(names.sort()).toEqual(['checks.json', 'evidence']);
    const staging = await readdir(small.lake.layout.stagingOf(small.lake.run));
    expect(staging.filter((name) => name.endsWith('.parquet'))).toEqual([]);
  });
});
