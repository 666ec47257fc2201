import { afterAll, expect, test } from 'vitest';
import { audit } from '../../src/audit.ts';
import { openJob } from '../../src/cli/open-job.ts';
import { Committer } from '../../src/land/committer.ts';
import { parsePipeline } from '../../src/plan/pipeline-yaml.ts';
import { type ChainSource, chainSource } from '../../src/service/chain-source.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';
import { systemEffects } from '../../src/system.ts';
import { digestsOf, exportLake, PIPELINE, serve, temporaryRoot } from './harness.ts';

/**
 * Goal: what a service lists late is found by reading finished slices again, told with the rows,
 * and landed when that is asked for; what is read again takes the place of what was there.
 */

const HEAD = 400;
const chain = simulatedChain({ seed: 'intents', head: HEAD });
const addresses = chain.addresses(8);
const cleanups: (() => Promise<void>)[] = [];
afterAll(async () => {
  for (const cleanup of cleanups) await cleanup();
});

async function world(): Promise<{ url: string; root: string; source: ChainSource }> {
  const source = chainSource(chain);
  const served = await serve(source);
  const { root, remove } = await temporaryRoot();
  cleanups.push(served.close, remove);
  return { url: served.url, root, source };
}

async function audited(of: { url: string; root: string }, sample: number, isRepairing = false) {
  const parsed = parsePipeline({ text: PIPELINE, file: 'e2e.yaml' });
  const pipeline = {
    ...parsed,
    source: { ...parsed.source, url: of.url, finalityLagBlocks: 1 },
    windowBlocks: 50,
  };
  const loaded = { pipeline, keys: { addresses }, file: '', resolve: (path: string) => path };
  const effects = systemEffects('warn');
  const job = await openJob({ ...loaded, notes: [] }, of.root, undefined, effects);
  const { lake, run } = job;
  const committer = new Committer({ lake, run, limits: pipeline.commit, effects });
  try {
    return await audit({
      ...job,
      ...loaded,
      effects,
      sample,
      seed: 'audit',
      signal: new AbortController().signal,
      watch: { chosen: () => undefined, audited: () => undefined },
      ...(isRepairing ? { committer } : {}),
    });
  } finally {
    await job.close('nothing');
  }
}

const exported = (of: { url: string; root: string }) =>
  exportLake({ ...of, addresses, change: (pipeline) => ({ ...pipeline, windowBlocks: 50 }) });

test('internal records that are listed late are found by an audit, and landed by its repair', async () => {
  const late = await world();
  late.source.delayInternal(100);
  await exported(late);
  const prompt = await world();
  await exported(prompt);
  const { internal_transactions: whole, ...others } = await digestsOf(prompt.root);
  expect(await digestsOf(late.root)).toMatchObject(others);
  expect((await digestsOf(late.root))['internal_transactions']).not.toBe(whole);

  expect((await audited(late, 1000)).slices.every(({ added }) => added.length === 0)).toBe(true);
  late.source.delayInternal(0);
  const told = await audited(late, 1000);
  const changed = told.slices.filter(({ added, gone }) => added.length + gone.length > 0);
  expect(changed.length).toBeGreaterThan(0);
  expect(changed.every(({ slice }) => slice.endpoint.includes('internal'))).toBe(true);
  expect(changed.every(({ slice }) => slice.interval.to > HEAD - 101)).toBe(true);
  expect(changed.every(({ gone }) => gone.length === 0)).toBe(true);
  expect(changed[0]?.added[0]).toHaveProperty('tx_hash');
  expect((await digestsOf(late.root))['internal_transactions']).not.toBe(whole);

  await audited(late, 1000, true);
  expect((await digestsOf(late.root))['internal_transactions']).toBe(whole);
});

test('a sample has so many slices, the same ones for the same seed', async () => {
  const of = await world();
  await exported(of);
  const [one, two] = [await audited(of, 5), await audited(of, 5)];
  expect(one.slices).toHaveLength(5);
  expect(one).toEqual(two);
  expect(one.chosen.of).toBeGreaterThan(5);
});

test('rows that the service takes back are told as gone', async () => {
  const of = await world();
  await exported(of);
  of.source.delayInternal(100);
  const changed = (await audited(of, 1000)).slices.filter(({ gone }) => gone.length > 0);
  expect(changed.length).toBeGreaterThan(0);
});
