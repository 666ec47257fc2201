import { plansByBand } from '../../src/plan/bands.ts';
import { estimate } from '../../src/plan/estimate.ts';
import { addresses, inputOf, MANY_KEYS, pipelineOf } from '../model/plan-input.ts';

/**
 * CPU seconds and memory to plan and price a large run band by band, as `run --queue` does.
 *
 *     node node_modules/.bench/test/bench/large-plan.js MILLIONS_OF_SLICES [ADDRESSES]
 *
 * Windows of 10,000 blocks for 20 addresses of one list.
 */

const [millions = 100, count = 1_000_000] = process.argv.slice(2, 4).map(Number);
const keys = addresses(count);
const windows = Math.ceil((millions * 1e6) / Math.ceil(count / 20));
const head = windows * 10_000 - 1;
const input = inputOf(pipelineOf([MANY_KEYS], { blocks: { from: 0, to: 'head' } }), keys, {
  heads: { primary: { head, safe: head + 1 } },
});
const before = process.cpuUsage();
let [slices, requests, bands] = [0, 0, 0];
for (const plan of plansByBand(input)) {
  const { total } = estimate(plan, new Map(), 1, 0);
  slices += plan.slices.length;
  requests += total.requests;
  bands += 1;
}
const { user, system } = process.cpuUsage(before);
const peak = process.resourceUsage().maxRSS / 1024;
const figures = [
  `${(slices / 1e6).toFixed(1)} million slices in ${bands} bands, ${requests} requests at least`,
  `${((user + system) / 1e6).toFixed(1)} CPU s`,
  `${peak.toFixed(0)} MiB`,
];
process.stdout.write(`${figures.join('; ')}\n`);
