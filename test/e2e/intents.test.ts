import { cp } from 'node:fs/promises';
import { beforeAll, expect, test } from 'vitest';
import { type ChainSource, chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import type { Caller } from '../../src/fetch/http/caller.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { type AuditedSlice, audit } from '../../src/run/audit.ts';
import { openJob } from '../../src/run/job/open-job.ts';
import { systemEffects } from '../../src/system.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { digestsOf, exportLake, PIPELINE, serve } from './harness.ts';

/**
 * Goal: what a service lists late is found by reading finished slices again, told with the rows,
 * and landed when that is asked for; what is read again takes the place of what was there.
 */

const HEAD = 200;
const chain = simulatedChain({ seed: 'intents', head: HEAD });
const addresses = chain.addresses(4);

interface World {
  readonly url: string;
  readonly root: string;
  readonly source: ChainSource;
}

/** Exports of a prompt service, and of one that lists internal records 100 blocks late. */
let prompt: World;
let late: World;
beforeAll(async () => {
  prompt = await world();
  late = await world();
  late.source.delayInternal(100);
  for (const { url, root } of [prompt, late]) {
    const change = (pipeline: Pipeline) => ({ ...pipeline, windowBlocks: 50 });
    await exportLake({ url, root, addresses, change });
  }
});

async function world(): Promise<World> {
  const source = chainSource(chain);
  const served = await serve(source);
  const root = await freshFolder();
  return { url: served.url, root, source };
}

/** A copy of an export, with a service of its own that lists everything. */
async function copyOf(original: World): Promise<World> {
  const copy = await world();
  await cp(original.root, copy.root, { recursive: true });
  return copy;
}

interface Auditing {
  readonly isRepairing?: boolean;
  /** Interrupted twice as soon as it has found so many slices that have changed. */
  readonly stopAfterChanges?: number;
}

async function audited(lake: { url: string; root: string }, sample: number, how: Auditing = {}) {
  const { isRepairing = false, stopAfterChanges = Number.POSITIVE_INFINITY } = how;
  const stop = new AbortController();
  let changes = 0;
  const parsed = parsePipeline({ text: PIPELINE, file: 'e2e.yaml' });
  const pipeline = {
    ...parsed,
    source: { ...parsed.source, url: lake.url, finalityLagBlocks: 1 },
    windowBlocks: 50,
  };
  const loaded = { pipeline, keys: { addresses }, file: '', resolve: (path: string) => path };
  const effects = systemEffects('warn');
  const job = await openJob(loaded, lake.root, undefined, effects, { env: process.env });
  const watch = {
    chosen: () => undefined,
    audited: ({ added }: AuditedSlice) => {
      if (added.length > 0) changes += 1;
    },
  };
  const { caller } = job.connection;
  const stopped: Caller = {
    call: (...args) => {
      if (changes >= stopAfterChanges) stop.abort(new Error('interrupted'));
      return caller.call(...args);
    },
  };
  try {
    return await audit({
      ...job,
      connection: { ...job.connection, caller: stopped },
      sample,
      seed: 'audit',
      // The loop itself goes on, so that it is the open requests that end.
      softStop: new AbortController().signal,
      hardStop: stop.signal,
      watch,
      isRepair: isRepairing,
    });
  } finally {
    await job.close('nothing');
  }
}

test('internal records that are listed late are found by an audit, and landed by its repair', async () => {
  const { internal_transactions: whole, ...others } = await digestsOf(prompt.root);
  expect(await digestsOf(late.root)).toMatchObject(others);
  expect((await digestsOf(late.root))['internal_transactions']).not.toBe(whole);

  expect((await audited(late, 1000)).slices.every(({ added }) => added.length === 0)).toBe(true);
  const copy = await copyOf(late);
  const told = await audited(copy, 1000);
  const changed = told.slices.filter(({ added, gone }) => added.length + gone.length > 0);
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.every(({ slice }) => slice.list.endpoint.includes('internal'))).toBe(true);
  expect(changed.every(({ slice }) => slice.interval.to > HEAD - 101)).toBe(true);
  expect(changed.every(({ gone }) => gone.length === 0)).toBe(true);
  expect(changed[0]?.added[0]).toHaveProperty('tx_hash');
  expect((await digestsOf(copy.root))['internal_transactions']).not.toBe(whole);

  await audited(copy, 1000, { isRepairing: true });
  expect((await digestsOf(copy.root))['internal_transactions']).toBe(whole);
});

test('an audit that is interrupted ends without an error, and what it told as landed has landed', async () => {
  const copy = await copyOf(late);
  const before = await digestsOf(copy.root);
  const { slices } = await audited(copy, 1000, { isRepairing: true, stopAfterChanges: 1 });
  expect(slices.filter(({ added }) => added.length > 0)).toHaveLength(1);
  expect(await digestsOf(copy.root)).not.toEqual(before);
});

test('a sample has so many slices, the same ones for the same seed', async () => {
  const copy = await copyOf(prompt);
  const [one, two] = [await audited(copy, 5), await audited(copy, 5)];
  expect(one.slices).toHaveLength(5);
  expect(one).toEqual(two);
  expect(one.chosen.total).toBeGreaterThan(5);
});

test('rows that the service takes back are told as gone', async () => {
  const copy = await copyOf(prompt);
  copy.source.delayInternal(100);
  const changed = (await audited(copy, 1000)).slices.filter(({ gone }) => gone.length > 0);
  expect(changed.length).toBeGreaterThan(0);
});

test('an empty answer alone removes no row: an audit says so, and its repair leaves the rows', async () => {
  const copy = await copyOf(prompt);
  const before = await digestsOf(copy.root);
  copy.source.delayInternal(HEAD);
  const { slices } = await audited(copy, 1000, { isRepairing: true });
  const changed = slices.filter(({ gone }) => gone.length > 0);
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.every(({ reason }) => reason.includes('empty answers where rows landed'))).toBe(
    true,
  );
  expect(await digestsOf(copy.root)).toEqual(before);
});
