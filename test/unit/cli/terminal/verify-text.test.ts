import { expect, test } from 'vitest';
import { verificationLines } from '../../../../src/cli/terminal/verify-text.ts';
import { adviceText } from '../../../../src/fault.ts';
import type { Damage } from '../../../../src/land/verify/verify-lake.ts';

/** Goal: the advice on each kind of damage names the command that mends it, and its effect. */

const damage = (kind: Damage['kind'], table = 'blocks'): Damage => {
  return { chain: 'MAINCHAIN', table, kind, path: kind, finding: 'It is damaged.', regions: [] };
};

function adviceOn(...damages: Damage[]): string {
  return verificationLines({ tables: [], damages })
    .map((line) => adviceText(line))
    .join(' ');
}

const FETCHES = 'fetch lost rows again. Run: windrow verify PIPELINE --repair';
const WRITES = 'a repair moves it aside. Run: windrow maintain';
const COMPUTES = 'without fetching anything. Run: windrow load --full';

test.each([
  ['data files', [damage('data file')], [FETCHES]],
  ['log entries', [damage('log entry'), damage('data file')], [FETCHES]],
  ['checkpoints, which no repair fetches', [damage('checkpoint')], [WRITES]],
  ['checkpoints of curated tables', [damage('checkpoint', 'curated/blocks')], [WRITES]],
  ['curated tables', [damage('data file', 'curated/blocks')], [COMPUTES]],
  ['several', [damage('data file'), damage('checkpoint'), damage('checkpoint')], [FETCHES, WRITES]],
])('advises on %s', (_what, damages, expected) => {
  const advice = adviceOn(...damages);
  expect([FETCHES, WRITES, COMPUTES].filter((hint) => advice.includes(hint))).toEqual(expected);
  expect(advice.split('No row is lost with a checkpoint').length).toBeLessThan(3);
});
