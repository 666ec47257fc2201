import { expect, test } from 'vitest';
import { verificationLines } from '../../../../src/cli/terminal/verify-text.ts';
import type { Damage } from '../../../../src/land/verify/verify-lake.ts';

/** Goal: the advice on each kind of damage names the command that mends it, and its effect. */

const of = (kind: Damage['kind'], table = 'blocks'): Damage => {
  return { chain: 'MAINCHAIN', table, kind, path: kind, finding: 'It is damaged.', regions: [] };
};

function adviceOn(...damages: Damage[]): string {
  return verificationLines({ tables: [], damages }).at(-1) ?? '';
}

const FETCHES = 'windrow verify PIPELINE --repair, which fetches lost rows again';
const WRITES = 'windrow maintain, which writes new ones from the log';
const COMPUTES = 'windrow load --full, which computes the curated tables again';

test.each([
  ['data files', [of('data file')], [FETCHES]],
  ['log entries', [of('log entry'), of('data file')], [FETCHES]],
  ['checkpoints, which no repair fetches', [of('checkpoint')], [WRITES]],
  ['checkpoints of curated tables', [of('checkpoint', 'curated/blocks')], [WRITES]],
  ['curated tables', [of('data file', 'curated/blocks')], [COMPUTES]],
  ['several', [of('data file'), of('checkpoint'), of('checkpoint')], [FETCHES, WRITES]],
])('advises on %s', (_what, damages, expected) => {
  const advice = adviceOn(...damages);
  expect([FETCHES, WRITES, COMPUTES].filter((each) => advice.includes(each))).toEqual(expected);
  expect(advice.split('Only other programs read checkpoints').length).toBeLessThan(3);
});
