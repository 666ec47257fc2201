import { KINDS, type Kind, maxRejections } from '../property/pacer-servers.ts';
import { mean, type Result, simulate } from '../property/pacer-simulation.ts';

/**
 * The whole grid of the pacer's gates: 8 kinds of servers, limits of 1 to 200/s, 20 seeds, 15
 * minutes of virtual time each, once with a steady limit and once with one that is halved for
 * some minutes. Prints a Markdown table; `!` marks what misses its gate on the average of the
 * seeds. Arguments: seeds (20), limits (1,2,5,10,20,50,100,200).
 *
 *     node test/bench/pacer.ts                        # where Node strips types (22.18 and later)
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       node node_modules/.bench/test/bench/pacer.js  # with any Node
 */
const SEEDS = Number(process.argv[2] ?? 20);
const LIMITS = (process.argv[3] ?? '1,2,5,10,20,50,100,200').split(',').map(Number);
const RUN = { durationMs: 900_000, warmUpMs: 120_000 };

const percent = (value: number): string => `${(100 * value).toFixed(2)} %`;
const marked = (text: string, isMissed: boolean): string => (isMissed ? `${text} !` : text);
const print = (cells: readonly string[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

async function row(kind: Kind, limitPerSecond: number): Promise<string[]> {
  const steady: Result[] = [];
  const restored: number[] = [];
  for (let seed = 1; seed <= SEEDS; seed += 1) {
    const scenario = { kind, limitPerSecond, seed, ...RUN };
    steady.push(await simulate(scenario));
    const drop = { share: 0.5, fromMs: 300_000 + 7000 * seed, toMs: 480_000 + 11_000 * seed };
    restored.push((await simulate({ ...scenario, drop })).restoredMs);
  }
  const ratio = mean(steady.map((each) => each.ratio));
  const rejections = mean(steady.map((each) => each.rejections));
  const late = restored.filter((ms) => ms > 120_000).length;
  const violations = steady.reduce((total, each) => total + each.violations, 0);
  restored.sort((a, b) => a - b);
  return [
    kind.name,
    String(limitPerSecond),
    marked(ratio.toFixed(3), ratio < kind.minRatio),
    Math.min(...steady.map((each) => each.ratio)).toFixed(3),
    mean(steady.map((each) => each.wholeRatio)).toFixed(3),
    marked(percent(rejections), rejections > maxRejections(kind, limitPerSecond)),
    percent(Math.max(...steady.map((each) => each.rejections))),
    `${(restored[restored.length >> 1] ?? 0) / 1000} s`,
    marked(`${late} of ${SEEDS}`, late > 0),
    marked(String(violations), violations > 0),
  ];
}

print([
  'server',
  'limit/s',
  'ratio',
  'worst',
  'with start',
  'rejected',
  'worst',
  'restored after (median)',
  'later than 120 s',
  'Retry-After violated',
]);
print(Array.from({ length: 10 }, () => '---'));
for (const kind of KINDS) {
  for (const limit of LIMITS) print(await row(kind, limit));
}
