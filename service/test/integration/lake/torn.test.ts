import { readFile, rm, writeFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { WireRecord } from '../../../../src/catalogue/record.ts';
import { curatedFiles } from '../../../../src/curate/curate.ts';
import { ask, serviceOver } from '../../../../test/contract/asking.ts';
import { freshLake } from '../../../../test/fixtures/fresh-lake.ts';
import { internal, LIST, transaction } from '../../../../test/fixtures/load-lake.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { lengthened } from '../../../../test/fixtures/short-addresses.ts';
import { type LakeSource, lakeSource } from '../../../src/lake/lake-source.ts';

/**
 * Goal: a lake that can be read in part only is never served as if it were whole, because who reads
 * an empty list takes it for proof that there is nothing.
 */

const small = freshLake(beforeEach);
let source: LakeSource;
const logged: string[] = [];
const effects = () => quietEffects({ log: (_, message) => logged.push(message) });

beforeEach(async () => {
  logged.length = 0;
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
  await small.land(LIST.internal, { keys: ['0xa'], records: [internal()] });
  await small.curate();
  source = await lakeSource({ root: small.root, effects: effects() });
});

afterEach(async () => {
  await source.close();
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

async function paths(): Promise<readonly string[]> {
  return (await curatedFiles(small.lake)).get('transactions') ?? [];
}

/** What the service says of the transactions of an address. */
async function request(address: string, from = 1, to = 100): Promise<[number, string]> {
  const blocks = { startBlockHeight: String(from), endBlockHeight: String(to) };
  const query = { chainShortName: 'MAINCHAIN', address: lengthened(address), ...blocks };
  const { status, code } = await ask(serviceOver(source), LIST.transactions, query);
  return [status, code];
}

it("questions during a lake's growth are answered from the lake before or after it", async () => {
  const service = serviceOver(source);
  const blocks = { startBlockHeight: '1', endBlockHeight: '100' };
  const query = { chainShortName: 'MAINCHAIN', address: lengthened('0xa'), ...blocks };
  const records = [5, 50].map((height) => ({ ...stranger(height), from: '0xa' }));
  await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction(), ...records] });
  await small.curate();
  const answers = new Set<string>();
  let isShown = false;
  const refreshing = source.refresh().finally(() => {
    isShown = true;
  });
  while (!isShown) {
    const { text: body } = await ask(service, LIST.transactions, query);
    answers.add(JSON.stringify(body.match(/"height":"(\d+)"/g)));
    await nextTurn();
  }
  await refreshing;
  const heightsOf = (...all: number[]) => JSON.stringify(all.map((entry) => `"height":"${entry}"`));
  for (const answer of answers) expect([heightsOf(10), heightsOf(50, 10, 5)]).toContain(answer);
});

it('a lake with a broken data file is not opened, with advice', async () => {
  const [path = ''] = await paths();
  await writeFile(path, 'no Parquet');
  const opening = lakeSource({ root: small.root, effects: quietEffects() });
  await expect(opening).rejects.toMatchObject({ kind: 'lake', where: small.root });
  await expect(opening).rejects.toThrow('The lake cannot be opened');
});

it('a version that cannot be read leaves the one before, until it can be', async () => {
  await small.land(LIST.transactions, { keys: ['0xc'], records: [5, 50].map(stranger) });
  await small.curate();
  const [path = ''] = await paths();
  const bytes = await readFile(path);
  await writeFile(path, bytes.subarray(0, bytes.length / 2));
  await expect(source.refresh()).rejects.toThrow();
  expect(await heights()).toEqual(['10']);
  expect(await request('0xa')).toEqual([200, '0']);
  // Not an empty list: these blocks were exported, but cannot be read.
  expect(await request('0xc')).toEqual([404, '50052']);
  await writeFile(path, bytes);
  expect(await source.refresh()).toBe(true);
  expect(await heights()).toEqual(['50', '10', '5']);
  expect(await request('0xc')).toEqual([200, '0']);
});

describe('a file that is lost while it is served', () => {
  beforeEach(async () => {
    for (const path of await paths()) await rm(path);
  });

  it('is an error, which the log explains', async () => {
    expect(await request('0xa')).toEqual([500, '50026']);
    await expect(heights()).rejects.toMatchObject({ kind: 'internal' });
    expect(logged.join()).toMatch(/^transactions could not be read from the lake: .*parquet/);
    expect(await heights('internal_transactions')).toEqual(['10']);
  });

  it('is found again when the curated tables have been made again', async () => {
    await small.curate(true);
    expect(await source.refresh()).toBe(true);
    expect(await heights()).toEqual(['10']);
  });
});

describe('records that are not curated yet', () => {
  it('are refused as if they had not been exported, and the log says so', async () => {
    await small.land(LIST.transactions, { keys: ['0xc'], from: 0, to: 49, records: [stranger(5)] });
    await source.close();
    source = await lakeSource({ root: small.root, effects: effects() });
    expect(logged).toEqual([
      'Newer records of transactions are not served. ' +
        `To curate them: windrow load --data ${small.root}`,
    ]);
    expect(await request('0xc', 1, 49)).toEqual([404, '50052']);
    // Other records at the same heights may have changed with them.
    expect(await request('0xa', 1, 49)).toEqual([404, '50052']);
    expect(await request('0xa', 50, 99)).toEqual([200, '0']);
    expect(await heights()).toEqual(['10']);
    await small.curate();
    expect(await source.refresh()).toBe(true);
    expect(await request('0xc', 1, 49)).toEqual([200, '0']);
    expect(await heights()).toEqual(['10', '5']);
    expect(logged).toHaveLength(1);
  });

  it('are refused by hash as well', async () => {
    const byHash = async (txId: string): Promise<string> => {
      const query = { chainShortName: 'MAINCHAIN', txId };
      return (await ask(serviceOver(source), LIST.transactionsByHash, query)).code;
    };
    expect(await byHash('0x15')).toBe('50052');
    await small.land(LIST.transactionsByHash, { keys: ['0x15'], records: [stranger(5)] });
    await source.refresh();
    expect(await byHash('0x15')).toBe('50052');
    await source.close();
    source = await lakeSource({ root: small.root, effects: effects() });
    expect(await byHash('0x15')).toBe('50052');
    await small.curate();
    await source.refresh();
    expect(await byHash('0x15')).toBe('0');
  });
});
