import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { type CheckResult, runChecks } from '../../../src/load/checks/run-checks.ts';
import { publishWarehouse } from '../../../src/load/warehouse.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { IS_THOROUGH } from '../../fixtures/thorough.ts';
import { CuratedHistory, FAST_DISK } from '../../model/curate/history.ts';

/** Histories that share a lake, each with heights and names of its own; `WORLDS` overrides it. */
const WORLDS = Number(process.env['WORLDS'] ?? (IS_THOROUGH ? 10 : 5));
/** Lakes of the test; `RUNS` overrides it. */
const LAKES = Number(process.env['RUNS'] ?? (IS_THOROUGH ? 2 : 1));
const SEED = Number(process.env['SEED'] ?? 4_211);

/**
 * Goal: whatever raw tables went through, checks that read only the heights that changed find the
 * same as checks that read everything again.
 */
test('checks over changed heights alone equal checks over all rows', async () => {
  const found = new Set<string>();
  for (let seed = SEED; seed < SEED + LAKES; seed += 1) {
    const { steps, all } = await playChecks(seed);
    expect(steps, `SEED=${seed} RUNS=1`).toEqual(all);
    for (const { check, findings } of all) if (findings.length > 0) found.add(check);
  }
  expect([...found].sort()).toEqual(expect.arrayContaining(['casts', 'missing_records']));
});

/** The results of a history that was checked step by step, and those of a check of everything. */
async function playChecks(seed: number): Promise<{ steps: CheckResult[]; all: CheckResult[] }> {
  const root = await mkdtemp(join(tmpdir(), 'windrow-checks-'));
  const history = await CuratedHistory.open(root, { seed, worlds: WORLDS });
  const { lake, chance } = history;
  const of = { lake, effects: quietEffects(), disk: FAST_DISK };
  // Small chunks; heights that did not change are left alone, however few rows they have.
  const limits = { chunkRows: 60, gapRows: -1 };
  try {
    let steps: CheckResult[] = [];
    for (let round = 0; round < 4; round += 1) {
      await history.play();
      if (round > 0 && round < 3 && chance.is(0.3)) continue;
      await publishWarehouse(of);
      steps = await runChecks({ ...of, limits });
    }
    return { steps, all: await runChecks({ ...of, isAll: true }) };
  } finally {
    history.close();
    await rm(root, { recursive: true, force: true });
  }
}
