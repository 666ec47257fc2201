import { Tally } from '../model/tally.ts';
import { playWhole } from '../model/whole.ts';

/**
 * The model test over many cases: chain shape, caps, drift, order, page sizes, groups, faults and
 * regrouping between runs, all from the seed. Prints what was played, by dimension, and every
 * case with a finding; exits 1 where there is one. Arguments: cases (50,000), first seed (1).
 *
 *     node test/bench/whole.ts                        # where Node strips types (22.18 and later)
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       node node_modules/.bench/test/bench/whole.js  # with any Node
 */
const CASES = Number(process.argv[2] ?? 50_000);
const FIRST_SEED = Number(process.argv[3] ?? 1);

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const tally = new Tally();
const startedMs = performance.now();
let findings = 0;
for (let seed = FIRST_SEED; seed < FIRST_SEED + CASES; seed += 1) {
  const [first, ...others] = await playWhole(seed, tally);
  if (first === undefined) continue;
  findings += 1;
  say(`FOUND ${first.slice(0, 500)}${others.length === 0 ? '' : ` and ${others.length} more`}`);
}
const seconds = (performance.now() - startedMs) / 1000;
say(`seeds ${FIRST_SEED} to ${FIRST_SEED + CASES - 1}, ${seconds.toFixed(1)} s`);
for (const line of tally.lines()) say(line);
say(`${findings} cases with findings`);
process.exitCode = findings === 0 ? 0 : 1;
