import { compareRoutes } from '../e2e/differential.ts';

/**
 * The differential test: specifications from seeds, each exported by several routes (straight; in
 * pages of 20 and 50; in groups of 1 and 7; in windows of 3,333 blocks; with faults, stopped and
 * gone on with) into lakes whose datasets must have equal digests, row for row those of the chain.
 * Prints a line for each specification; exits 1 where there is a difference. Arguments: how many
 * specifications (50), first seed (1).
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql node_modules/.bench &&
 *       node node_modules/.bench/test/bench/differential.js
 */
const COUNT = Number(process.argv[2] ?? 50);
const FIRST_SEED = Number(process.argv[3] ?? 1);
const MOST_DIFFERENCES = 12;

const say = (line: string): void => void process.stdout.write(`${line}\n`);
let rows = 0;
let requests = 0;
let struck = 0;
let different = 0;
const startedMs = performance.now();
for (let seed = FIRST_SEED; seed < FIRST_SEED + COUNT; seed += 1) {
  const beganMs = performance.now();
  const usage = process.cpuUsage();
  const compared = await compareRoutes(seed);
  const { user, system } = process.cpuUsage(usage);
  const { of, differences, told } = compared;
  const landed = Object.values(compared.rows).reduce((sum, each) => sum + each, 0);
  rows += landed;
  requests += compared.requests.straight + compared.requests.faulty;
  struck += compared.struck;
  if (differences.length > 0) different += 1;
  const counts = Object.entries(compared.rows).map(([name, count]) => `${name} ${count}`);
  say(
    [
      `seed ${seed}: ${differences.length === 0 ? 'equal' : 'DIFFERENT'}`,
      counts.join(', '),
      `lists ${of.lists.join(' ')}`,
      `${of.addresses.length} addresses`,
      `blocks ${of.blocks.from}-${of.blocks.to}, zone ${of.zoneBlocks.from}-${of.zoneBlocks.to}`,
      `requests ${compared.requests.straight}, with faults ${compared.requests.faulty}`,
      `${compared.struck} faults, runs: ${told.join(' | ')}`,
      `${((performance.now() - beganMs) / 1000).toFixed(1)} s, CPU ${((user + system) / 1e6).toFixed(1)} s`,
    ].join('; '),
  );
  for (const line of differences.slice(0, MOST_DIFFERENCES)) say(`  ${line}`);
  if (differences.length > MOST_DIFFERENCES)
    say(`  and ${differences.length - MOST_DIFFERENCES} more`);
}
const seconds = ((performance.now() - startedMs) / 1000).toFixed(0);
say(
  `${COUNT} specifications, ${COUNT - different} equal by all routes, ${different} different; ` +
    `${rows} rows, ${requests} requests, ${struck} faults, ${seconds} s`,
);
process.exitCode = different === 0 ? 0 : 1;
