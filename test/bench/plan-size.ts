import { planSlices } from '../../src/plan/slices.ts';
import { addresses, inputOf, MANY_KEYS, pipelineOf } from '../model/plan-input.ts';

/**
 * CPU seconds and memory of planning for many addresses over many windows that nothing covers. With
 * `staggered`, every address begins one block after the one before, so that no two have equal gaps.
 *
 *     node node_modules/.bench/test/bench/plan-size.js [addresses] [windows] [staggered]
 */

const WINDOW = 10_000;
const [count = '10000', windows = '2000', kind] = process.argv.slice(2);
const head = Number(windows) * WINDOW + 64;
const keys = addresses(Number(count));
const input = inputOf(pipelineOf([MANY_KEYS]), keys, {
  heads: { primary: { head, safe: head - 63 } },
});
if (kind === 'staggered') {
  const list = { endpoint: MANY_KEYS, variant: '' };
  const part = { from: 0, status: 'complete', reason: '', head, readAtMs: 0 } as const;
  for (const [i, key] of keys.entries()) {
    input.coverage.addTo(list, [key], { ...part, to: i % (head - WINDOW) });
  }
}
const before = process.cpuUsage();
const { slices } = planSlices(input);
const { user, system } = process.cpuUsage(before);
const cpu = ((user + system) / 1e6).toFixed(2);
const peak = (process.resourceUsage().maxRSS / 1024).toFixed(0);
process.stdout.write(`${slices.length} slices, ${cpu} CPU s, ${peak} MB\n`);
