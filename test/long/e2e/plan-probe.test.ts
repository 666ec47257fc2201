import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { planText } from '../../../src/cli/terminal/plan-text.ts';
import type { Pipeline } from '../../../src/pipeline/pipeline.ts';
import { planDocument } from '../../../src/run/shell/run-document.ts';
import { exportLake, priceLake, serve } from '../../e2e/harness.ts';
import { IS_EXHAUSTIVE } from '../../fixtures/thorough.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/**
 * Goal: `plan --probe` prices a first run within a fifth of what the run then sends, and says the
 * same to people and to programs.
 */

const FOLDER = new URL('../../../pipelines/', import.meta.url);
const SHORT = [
  ['address-activity.yaml', 'demo'],
  ['token-transfers.yaml', 'prices'],
  ['zone-activity.yaml', 'other'],
  ['chain-blocks.yaml', 'demo'],
];
const LONG = ['demo', 'prices', 'other'].flatMap((seed) =>
  ['address-activity.yaml', 'token-transfers.yaml', 'zone-activity.yaml', 'chain-blocks.yaml'].map(
    (file) => [file, seed],
  ),
);

test.each(IS_EXHAUSTIVE ? LONG : SHORT)(
  'the first run of %s over the chain %s costs what its probed plan says',
  async (file = '', seed = '') => {
    const head = 1_200;
    const chain = simulatedChain({ seed, head, zoneStart: head - 30 });
    const served = await serve(chainSource(chain));
    const root = await freshFolder();
    const heights = Array.from({ length: 100 }, (_, i) => 900 + i);
    const moved = heights.flatMap((height) => chain.recordsAt(height).token_transfers);
    const tokens = [...new Set(moved.map((row) => String(row['token_address'])))].slice(0, 3);
    const options = {
      url: served.url,
      root,
      addresses: chain.addresses(8),
      keys: { tokens },
      text: readFileSync(new URL(file, FOLDER), 'utf8'),
      change: (pipeline: Pipeline) => quick(pipeline, file),
    };
    const priced = await priceLake(options, 'test');
    const { total, probed } = priced.estimate;
    expect(total.rows).toBeDefined();
    const text = planText(priced).join('\n');
    const document = planDocument(priced);
    const count = (value: number): string => value.toLocaleString('en-US');
    expect(text).toContain(`The probe sent ${count(probed?.requests ?? 0)} requests (--seed test)`);
    expect(text).toContain(`Total: about ${count(total.requests)} requests`);
    expect(document).toMatchObject({
      requests: total.requests,
      isLowerBound: false,
      probe: { requests: probed?.requests, seed: 'test' },
    });
    served.targets.length = 0;
    await exportLake(options);
    const ratio = total.requests / served.targets.length;
    const words = `${total.requests} planned, ${served.targets.length} sent`;
    expect(Math.abs(ratio - 1), words).toBeLessThanOrEqual(0.2);
  },
);

/** Without the waits that a service of ours does not need, and with few whole blocks. */
function quick(pipeline: Pipeline, file: string): Pipeline {
  const few = file.startsWith('chain-blocks') ? { blocks: { from: 1_000, to: 1_049 } } : {};
  const rate = { startPerSecond: 5_000, maxPerSecond: 5_000 };
  const source = { ...pipeline.source, credentials: { kind: 'none' } as const, rate };
  return { ...pipeline, ...few, source };
}
