import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import type { PricedPlan } from '../../../src/run/run-job.ts';
import { exportLake, serve } from '../../e2e/harness.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/**
 * Goal: what a plan says a run will cost is what the run then sends, within a tenth. A first run
 * over some blocks teaches how dense the lists are; the plan of the next ones is held against the
 * requests that the service counted.
 */

const FOLDER = new URL('../../../pipelines/', import.meta.url);
/** Runs of pending.yaml read by the clock, which no plan prices. */
const OTHERS = ['demo.yaml', 'pending.yaml'];
const PIPELINES = readdirSync(FOLDER).filter(
  (name) => /\.yaml$/.test(name) && !OTHERS.includes(name),
);
/** These two are like the others, and take the longest; e2e/plan-probe runs them too. */
const LONG = ['zone-activity.yaml', 'token-transfers.yaml'];
const PRICED = PIPELINES.filter((name) => IS_EXHAUSTIVE || !LONG.includes(name));
const chain = simulatedChain({ seed: 'prices', head: 4_000, zoneStart: 3_920 });
const addresses = chain.addresses(20);
const transfers = Array.from({ length: 50 }, (_, i) => chain.recordsAt(3_000 + i)).flatMap(
  (records) => records.token_transfers,
);
const tokens = [...new Set(transfers.map((row) => String(row['token_address'])))].slice(0, 6);

/** Blocks that teach, then blocks that are priced. Exporting whole blocks is dear, so fewer. */
const PARTS = [
  { blocks: { from: 0, to: 1_499 }, zoneBlocks: { from: 0, to: 2_999 } },
  { blocks: { from: 1_500, to: 3_499 }, zoneBlocks: { from: 3_000, to: 7_499 } },
] as const;
const WHOLE_BLOCKS = [
  { blocks: { from: 1_000, to: 1_059 } },
  { blocks: { from: 1_060, to: 1_159 } },
] as const;

test('every pipeline but the demo and that of the pending state is priced', () => {
  expect(PIPELINES.length).toBe(7);
});

test.each(PRICED)('the plan of %s says within a tenth what its run sends', async (name) => {
  const source = chainSource(chain);
  const served = await serve(source);
  const root = await freshFolder();
  const text = readFileSync(new URL(name, FOLDER), 'utf8');
  const prices: { planned: number; sent: number }[] = [];
  const parts = name === 'chain-blocks.yaml' ? WHOLE_BLOCKS : PARTS;
  for (const [i, part] of parts.entries()) {
    // A ranking of the same block would not be read twice.
    source.growTo(chain.head + i);
    let planned = 0;
    served.targets.length = 0;
    const ran = await exportLake({
      url: served.url,
      root,
      addresses,
      keys: { tokens },
      text,
      change: (pipeline) => ({ ...quick(pipeline), ...part }),
      planned: ({ estimate }: PricedPlan) => {
        planned = estimate.total.requests;
      },
    });
    expect(ran.execution).toEqual({ failed: [], short: 0, left: 0 });
    prices.push({ planned, sent: served.targets.length });
  }
  const last = prices.at(-1);
  process.stdout.write(`${name}: ${JSON.stringify(prices)}\n`);
  expect(Math.abs((last?.planned ?? 0) / (last?.sent ?? 1) - 1)).toBeLessThanOrEqual(0.1);
});

/** Without the waits that a service of ours does not need. */
function quick(pipeline: Pipeline): Pipeline {
  return {
    ...pipeline,
    source: {
      ...pipeline.source,
      credentials: { kind: 'none' },
      rate: { startPerSecond: 5_000, maxPerSecond: 5_000 },
    },
    requests: pipeline.requests.map((request) => ({ ...request, maxAgeMinutes: 0 })),
  };
}
