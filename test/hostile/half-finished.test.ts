import { expect, test } from 'vitest';
import { IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { jumpingClock } from './clock.ts';
import { CrossingService, MAIN_LAG, ZONE_LAG } from './crossings.ts';
import { rowsOf } from './lake.ts';
import { auditWindrow, proofLine, runWindrow } from './windrow.ts';

/**
 * Goal: a service that fills in the halves of crossings later costs no row called complete: in every
 * run, complete rows have both halves, as the chain has them in the end, and once all is filled in
 * and old enough a run makes everything complete. Runs read the blocks again that wait, no others.
 */

const SEED = Number(process.env['SEED'] ?? 1);
const VARIANTS = Number(process.env['VARIANTS'] ?? (IS_EXHAUSTIVE ? 20 : 1));
const seeds = Array.from({ length: VARIANTS }, (_, i) => SEED + i);
process.stdout.write(`half-finished records: seed ${SEED}\n`);

const LIST = 'mainchain/zone/cross/transaction-list';
const LOOK_UP = 'mainchain/zone/cross/transaction-multi';

function pipelineText(proof: 'standard' | 'strict'): string {
  const line = proofLine(proof) ?? '';
  const [ofSource, ofPipeline] = line.startsWith(' ') ? [line, ''] : ['', line];
  return `version: 1
name: hostile-crossings
source:
  url: http://127.0.0.1:1
  chain: MAINCHAIN
  zoneChain: ZONECHAIN
  credentials: none
  finalityLagBlocks: ${MAIN_LAG}
  finalityLagZoneBlocks: ${ZONE_LAG}
  rate: { startPerSecond: 50, maxPerSecond: 200 }
${ofSource}
${ofPipeline}
keys:
  found: { from: [cross_chain_transfers] }
zoneBlocks: { from: 0, to: safe }
datasets:
  cross_chain_transfers:
    - { endpoint: ${LIST} }
    - { endpoint: ${LOOK_UP}, keys: found }
`;
}

async function withRoot<T>(work: (root: string) => Promise<T>): Promise<T> {
  const root = await freshFolder();
  return await work(root);
}

const COLUMNS = 'zone_tx_hash main_tx_hash main_block_number cross_status batch_detail'.split(' ');

/** Rows that coverage calls complete, and the number of all rows. A look-up is, unless it is open. */
async function landed(root: string): Promise<{ complete: string[]; all: number }> {
  const columns = 'endpoint key from_block to_block status'.split(' ');
  const covered = await rowsOf(root, 'ZONECHAIN', 'coverage', columns);
  const selected = ['_endpoint', 'zone_block_number', ...COLUMNS];
  const rows = await rowsOf(root, 'ZONECHAIN', 'cross_chain_transfers', selected);
  const complete = rows.filter(([endpoint, height, hash]) =>
    covered.some(([list, key, from, to, status]) => {
      const isIn = Number(from) <= Number(height) && Number(height) <= Number(to);
      if (list !== endpoint || !isIn || status !== 'complete') return false;
      const isOpen = covered.some((entry) => entry[0] === list && entry[1] === hash);
      return list === LIST || (key === '' && !isOpen);
    }),
  );
  const text = (row: readonly (string | null)[]): string => row.map((cell) => cell ?? '').join(' ');
  return { complete: complete.map(text).sort(), all: rows.length };
}

for (const proof of ['standard', 'strict'] as const) {
  test.each(seeds)(`cost no complete row: seed %i, proof ${proof}`, async (seed) => {
    await withRoot(async (root) => {
      const service = new CrossingService(seed);
      const clock = jumpingClock(1_760_000_000_000);
      const setup = { text: pipelineText(proof), keys: {}, root, service, clock, seed };
      const final = service.rows([LIST, LOOK_UP]);
      const all = new Set(final);
      let complete = 0;
      for (const step of service.steps) {
        service.grow(step);
        const before = service.requests.get(LIST) ?? 0;
        const { exit, messages } = await runWindrow(setup);
        expect({ exit, messages }).toEqual({ exit: 0, messages: [] });
        const now = await landed(root);
        expect(now.complete.filter((row) => !all.has(row))).toEqual([]);
        expect(now.all).toBe(final.length);
        // What is complete stays complete.
        expect(now.complete.length).toBeGreaterThanOrEqual(complete);
        complete = now.complete.length;
        expect((service.requests.get(LIST) ?? 0) - before).toBeLessThan(8 * service.crossings + 40);
      }
      expect((await landed(root)).complete).toEqual(final);
      const requests = service.requests.get(LIST) ?? 0;
      service.grow(1);
      await runWindrow(setup);
      // One window of new blocks is left to read.
      expect((service.requests.get(LIST) ?? 0) - requests).toBeLessThan(30);
    });
  });
}

test('a complete record that changes later shows in an audit of lists and look-ups', async () => {
  await withRoot(async (root) => {
    const service = new CrossingService(SEED);
    const clock = jumpingClock(1_760_000_000_000);
    const setup = { text: pipelineText('standard'), keys: {}, root, service, clock, seed: SEED };
    for (const step of service.steps) service.grow(step);
    await runWindrow(setup);
    service.grow(100);
    expect(await auditWindrow(setup, false)).toEqual([]);
    service.isReversed = true;
    const differences = await auditWindrow(setup, true);
    expect(new Set(differences.map(({ slice }) => slice.list.endpoint))).toEqual(
      new Set([LIST, LOOK_UP]),
    );
    expect(differences.every(({ added, gone }) => added.length === gone.length)).toBe(true);
    expect(await auditWindrow(setup, false)).toEqual([]);
  });
});
