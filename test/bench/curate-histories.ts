import { playHistories } from '../model/curate/whole.ts';

/**
 * Random histories of raw tables, curated step by step, compared with a full rebuild and with the
 * rule in memory. Prints every batch with a difference; exits 1 where there is one. Arguments:
 * histories (20,000), first seed (1), histories per lake (100).
 *
 *     node test/bench/curate-histories.ts                  # where Node strips types
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       node node_modules/.bench/test/bench/curate-histories.js  # with any Node
 */
const HISTORIES = Number(process.argv[2] ?? 20_000);
const FIRST_SEED = Number(process.argv[3] ?? 1);
const WORLDS = Math.min(HISTORIES, Number(process.argv[4] ?? 100));
const only = process.argv[5] === undefined ? {} : { only: Number(process.argv[5]) };

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const startedMs = performance.now();
let findings = 0;
let rows = 0;
const batches = Math.ceil(HISTORIES / WORLDS);
for (let seed = FIRST_SEED; seed < FIRST_SEED + batches; seed += 1) {
  const played = await playHistories({ seed, worlds: WORLDS, ...only });
  rows += played.rows;
  if (played.found.length === 0) continue;
  findings += 1;
  say(`seed ${seed}: ${played.found.length} differences`);
  for (const each of played.found.slice(0, 6)) say(`  ${each.slice(0, 900)}`);
}
const seconds = (performance.now() - startedMs) / 1000;
const perSecond = (batches * WORLDS) / seconds;
say(`seeds ${FIRST_SEED} to ${FIRST_SEED + batches - 1}, ${batches * WORLDS} histories`);
say(`${rows} curated rows, ${seconds.toFixed(1)} s, ${perSecond.toFixed(1)} histories a second`);
say(`${findings} lakes with differences`);
process.exitCode = findings === 0 ? 0 : 1;
