import { FAMILIES } from '../hostile/families.ts';
import { breachesOf, type Compared, playFamily } from '../hostile/play.ts';
import type { Proof } from '../hostile/windrow.ts';

/**
 * Plays variants of every family of service faults against windrow, each beside an honest service,
 * and prints one row per family: wrong rows among those called complete, how many variants had
 * any, how many were noticed, the share of rows that were complete all the same, and requests as a
 * multiple of those of the honest service. `--family` takes a part of names, `--each` prints every
 * variant, and `--trace` the requests and answers of one operation. Exits 1 where a promise is
 * broken.
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql node_modules/.bench &&
 *       node node_modules/.bench/test/bench/hostile.js [variants] [--proof strict]
 *         [--family empties] [--seed 1] [--each]
 *         [--trace internal-transaction-list-multi]
 */

const say = (line: string): void => void process.stdout.write(`${line}\n`);
const args = process.argv.slice(2);
const option = (name: string): string | undefined => args[args.indexOf(name) + 1];
const has = (name: string): boolean => args.includes(name);

const variants = Number(args[0]?.match(/^\d+$/) ? args[0] : 20);
const proof: Proof = has('--proof') && option('--proof') === 'strict' ? 'strict' : 'standard';
const firstSeed = has('--seed') ? Number(option('--seed')) : 1;
const wanted = has('--family') ? (option('--family') ?? '') : '';

const traced = has('--trace') ? (option('--trace') ?? '') : undefined;
const isTraced = (line: string): boolean => traced !== undefined && line.startsWith(`${traced} `);
const trace = traced === undefined ? undefined : (line: string) => isTraced(line) && say(line);

const share = (part: number, whole: number): string =>
  whole === 0 ? '-' : `${((100 * part) / whole).toFixed(0)} %`;
const sum = (runs: readonly Compared[], value: (run: Compared) => number): number =>
  runs.reduce((total, run) => total + value(run), 0);

say(`seeds ${firstSeed} to ${firstSeed + variants - 1}, proof ${proof}`);
say(
  '| family | promise | variants | wrong rows | variants with any | noticed | rows | price | most |',
);
say('|---|---|--:|--:|--:|--:|--:|--:|--:|');
let broken = 0;
for (const family of FAMILIES.filter(({ name }) => name.includes(wanted))) {
  const played: Compared[] = [];
  for (let seed = firstSeed; seed < firstSeed + variants; seed += 1) {
    const run = await playFamily(family, seed, proof, trace);
    played.push(run);
    if (has('--each')) say(JSON.stringify({ ...run, requestsByPath: undefined }));
  }
  const wrong = played.filter((run) => run.wrong > 0);
  const bad = breachesOf(family, played);
  broken += bad.length;
  const prices = played.map(({ price }) => price);
  const missing = sum(played, (run) => run.missing);
  const extra = sum(played, (run) => run.extra);
  const rows = sum(played, (run) => run.complete);
  say(
    `| ${family.name}${bad.length > 0 ? ' !' : ''} | ${family.promise} | ${played.length} | ` +
      `${missing} missing, ${extra} extra of ${rows} | ${wrong.length} | ` +
      `${share(played.filter(({ isNoticed }) => isNoticed).length, played.length)} | ` +
      `${share(
        rows,
        sum(played, (run) => run.calmRows),
      )} | ` +
      `${(sum(played, ({ price }) => price) / played.length).toFixed(2)} | ` +
      `${Math.max(...prices).toFixed(2)} |`,
  );
  const [first] = bad;
  if (first === undefined) continue;
  say(`  ${first}`);
  const shown = played.find(({ seed }) => first.startsWith(`seed ${seed},`));
  const said = [...(shown?.examples ?? []), ...(shown?.messages ?? [])].slice(0, 2);
  say(`  exit ${shown?.exit}; ${said.join(' | ').slice(0, 300)}`);
}
process.exitCode = broken === 0 ? 0 : 1;
