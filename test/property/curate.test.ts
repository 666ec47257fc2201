import { expect, test } from 'vitest';
import { IS_THOROUGH } from '../fixtures/thorough.ts';
import { playHistories } from '../model/curate/whole.ts';

/**
 * Histories that share a lake, each with heights and names of its own. Large lakes cost a tenth per
 * history; in small ones, lists come and go more often.
 */
const WORLDS = [1_000, 20, 5];
/** Histories of the test; the thorough mode plays more. `RUNS` overrides both. */
const HISTORIES = Number(process.env['RUNS'] ?? (IS_THOROUGH ? 1_000 : 4));
const SEED = Number(process.env['SEED'] ?? 2_611);

/**
 * Goal: whatever raw tables went through, curated tables that were brought up to date step by step
 * equal those of a full rebuild, row for row, and those of the rule in memory.
 */
test('curated tables that grew with every commit equal the rule over all rows', async () => {
  let rows = 0;
  for (let seed = SEED, left = HISTORIES; left > 0; seed += 1) {
    const worlds = Math.min(left, WORLDS[seed % WORLDS.length] ?? 1);
    const played = await playHistories({ seed, worlds });
    expect(played.flaws.slice(0, 5), `SEED=${seed} RUNS=${worlds}`).toEqual([]);
    rows += played.rows;
    left -= worlds;
  }
  process.stdout.write(`curate: seed ${SEED}, ${HISTORIES} histories, ${rows} rows\n`);
  expect(rows).toBeGreaterThan(HISTORIES * 3);
}, 3_600_000);
