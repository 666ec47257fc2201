import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { chainSource } from '../../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../../service/src/simulated/chain.ts';
import { systemConsole } from '../../../../src/cli/terminal/console.ts';
import { printResult } from '../../../../src/cli/terminal/verb-result.ts';
import { planVerb } from '../../../../src/cli/verbs/plan.ts';
import { runVerb } from '../../../../src/cli/verbs/run.ts';
import { serve } from '../../../e2e/harness.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

/** Goal: a plan or a run that its quota keeps from any progress says so. */

let folder = '';
const printed: string[] = [];
const stream = { write: (text: string) => printed.push(text) };
const output = systemConsole(false, stream, stream);
const before = process.env['WINDROW_STATE_DIR'];
let url = '';

beforeEach(async () => {
  folder = await freshFolder();
  process.env['WINDROW_STATE_DIR'] = join(folder, 'state');
  ({ url } = await serve(chainSource(simulatedChain({ seed: 'quota', head: 3000 }))));
  printed.length = 0;
});
afterEach(() => {
  if (before === undefined) delete process.env['WINDROW_STATE_DIR'];
  else process.env['WINDROW_STATE_DIR'] = before;
});

/** The arguments of a verb, for a pipeline with this quota. */
async function input(perDay: number) {
  const pipeline = join(folder, 'p.yaml');
  await writeFile(
    pipeline,
    `version: 1
name: p
source: { url: "${url}", chain: MAINCHAIN, credentials: none, quota: { perDay: ${perDay} } }
blocks: { from: 1, to: 2000 }
windowBlocks: 2000
datasets: { blocks: [{ endpoint: mainchain/block/block-list }] }
`,
  );
  return { pipeline, data: join(folder, 'data'), probe: false, seed: '', verbose: false };
}

it('a plan with a used-up quota says that nothing was planned, and not that slices landed', async () => {
  const with2 = await input(2);
  const plans = async () => {
    for (let nth = 0; nth < 3; nth += 1) await printResult(planVerb(with2, output), output);
  };
  const fault = await plans().catch((error: unknown) => error);
  expect(fault).toMatchObject({
    kind: 'limited',
    advice: expect.stringContaining('raise source.quota.perDay or limits.maxRequests'),
  });
  expect(String(fault)).toMatch(/Nothing was planned: .*quota of 2 requests a day is used up/);
});

it('a run that finishes no slice within its quota advises to raise it', async () => {
  const with8 = await input(8);
  expect(await printResult(runVerb({ ...with8, lock: true, verbose: false }, output), output)).toBe(
    3,
  );
  const text = printed.join('');
  expect(text).toContain('none was finished. If this happens again, raise');
  expect(text).not.toContain('Failed:');
});
