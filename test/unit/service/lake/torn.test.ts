import { readFile, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { type LakeSource, lakeSource } from '../../../../src/service/lake/lake-source.ts';
import type { Refusal } from '../../../../src/service/protocol/errors.ts';
import { ask, serviceOver } from '../../../contract/asking.ts';
import {
  INTERNAL,
  internal,
  SmallLake,
  TRANSACTIONS,
  transaction,
} from '../../../fixtures/load-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';

/**
 * Goal: a lake that could be read in part only is never served as if it were whole, because who
 * reads an empty list takes it for proof that there is nothing.
 */

let small: SmallLake;
let source: LakeSource;

beforeEach(async () => {
  small = await SmallLake.open();
  await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction()] });
  await small.land(INTERNAL, { keys: ['0xa'], records: [internal()] });
  source = await lakeSource({ root: small.root, effects: quietEffects() });
});

afterEach(async () => {
  await source.close();
  await small.close();
});

/** A transaction of the block that none of the addresses asked before has a part in. */
function stranger(height: number): WireRecord {
  return transaction({ txId: `0x1${height}`, height: String(height), from: '0xc', to: '0xd' });
}

async function heights(dataset = 'transactions'): Promise<unknown[]> {
  const interval = { from: 0, to: 1_000_000 };
  const whole = { filters: [], bounds: [], oncePerKey: false, offset: 0, count: 1_000 };
  const { total, records } = await source.find({ dataset, interval, ...whole });
  expect(records).toHaveLength(total);
  return records.map((record) => record['block_number']);
}

async function paths(): Promise<string[]> {
  const table = small.lake.table('transactions');
  return table.paths(await table.snapshot());
}

/** Lands blocks 5 and 50, tears the load of them, and returns the function that repairs it. */
async function torn(): Promise<() => Promise<void>> {
  const before = await paths();
  await small.land(TRANSACTIONS, { keys: ['0xc'], records: [5, 50].map(stranger) });
  const [path = ''] = (await paths()).filter((each) => !before.includes(each));
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, bytes.length / 2));
  let failure: unknown;
  const loading = source.refresh().catch((error: unknown) => {
    failure = error;
  });
  while (failure === undefined) {
    // A refusal waits for nothing, and the loading for the disk.
    await nextTurn();
    const answer = await heights().catch(({ kind }: Refusal) => kind);
    expect([['10'], 'internal']).toContainEqual(answer);
  }
  await loading;
  return () => writeFile(path, bytes);
}

it("questions during a lake's growth are answered from the lake before or after it", async () => {
  const service = serviceOver(source);
  const blocks = { startBlockHeight: '1', endBlockHeight: '100' };
  const asked = { chainShortName: 'MAINCHAIN', address: '0xa', ...blocks };
  const records = [5, 50].map((height) => ({ ...stranger(height), from: '0xa' }));
  await small.land(TRANSACTIONS, { keys: ['0xa'], records: [transaction(), ...records] });
  const answers = new Set<string>();
  let isLoaded = false;
  const loading = source.refresh().finally(() => {
    isLoaded = true;
  });
  while (!isLoaded) {
    const { text: body } = await ask(service, TRANSACTIONS, asked);
    answers.add(JSON.stringify(body.match(/"height":"(\d+)"/g)));
    await nextTurn();
  }
  await loading;
  const heightsOf = (...all: number[]) => JSON.stringify(all.map((each) => `"height":"${each}"`));
  for (const answer of answers) expect([heightsOf(10), heightsOf(50, 10, 5)]).toContain(answer);
});

it('a lake with a broken data file is not opened, with advice', async () => {
  const [path = ''] = await paths();
  await writeFile(path, 'no Parquet');
  const opening = lakeSource({ root: small.root, effects: quietEffects() });
  await expect(opening).rejects.toMatchObject({ kind: 'lake', where: small.root });
  await expect(opening).rejects.toThrow('The lake cannot be opened');
});

describe('a table that could not be loaded whole', () => {
  it('is refused with an error that passes, until it can be', async () => {
    const restore = await torn();
    const blocks = { startBlockHeight: '1', endBlockHeight: '100' };
    const asked = { chainShortName: 'MAINCHAIN', address: '0xa', ...blocks };
    const { status, code } = await ask(serviceOver(source), TRANSACTIONS, asked);
    expect([status, code]).toEqual([500, '50026']);
    await expect(heights()).rejects.toMatchObject({ kind: 'internal' });
    expect(await heights('internal_transactions')).toEqual(['10']);
    await restore();
    expect(await source.refresh()).toBe(true);
    expect(await heights()).toEqual(['50', '10', '5']);
  });

  it('is reported by /healthz', async () => {
    const restore = await torn();
    const service = serviceOver(source);
    const health = async () => {
      const asked = { method: 'GET', target: '/healthz', headers: {}, body: '' };
      return (await service.answer(asked)).status;
    };
    expect(await health()).toBe(503);
    await restore();
    await source.refresh();
    expect(await health()).toBe(200);
  });

  it('is loaded from where it was torn, whatever has changed since', async () => {
    const restore = await torn();
    await restore();
    // The file that could not be read gives way to one that lies higher.
    await small.land(TRANSACTIONS, { keys: ['0xc'], records: [stranger(50)] });
    expect(await source.refresh()).toBe(true);
    expect(await heights()).toEqual(['50', '10']);
  });
});
