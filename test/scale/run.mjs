import { readFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * windrow beyond one machine, over real servers: each topic is a file that exports `scenarios`,
 * which get `check(name, isTrue, seen)`. Ends with one line, `N passed, N failed`.
 *
 *     python3 -m venv test/scale/.venv && test/scale/.venv/bin/pip install -r test/scale/requirements.txt
 *     npm run build && npm run test:scale -- [--short] [TOPIC [SCENARIO]]
 *
 * The long form also needs the environment of test/interop (`.ci/run` makes it) and, beside it,
 * `test/interop/.venv/bin/pip install --no-deps --target test/scale/.venv/duckdb duckdb==1.4.4
 * duckdb-ext-{httpfs,delta,aws}==1.4.4.20260205`.
 */

const here = fileURLToPath(new URL('./', import.meta.url));
const [wanted, one] = process.argv.slice(2).filter((name) => name !== '--short');
let passed = 0;
let failed = 0;

for (const file of (await readdir(here)).filter((name) => name.endsWith('.mjs')).sort()) {
  const topic = file.replace(/\.mjs$/, '');
  if (topic === 'run' || (wanted !== undefined && topic !== wanted)) continue;
  const { scenarios } = await import(`./${file}`);
  for (const [name, scenario] of Object.entries(scenarios ?? {})) {
    if (one !== undefined && name !== one) continue;
    const [startedMs, startedCpu] = [Date.now(), cpuSeconds()];
    const check = (what, isTrue, seen = '') => {
      if (isTrue) passed += 1;
      else failed += 1;
      const verdict = isTrue ? 'ok' : 'FAILED';
      process.stdout.write(`${verdict}: ${topic}, ${name}: ${what} ${seen}\n`);
    };
    try {
      await scenario(check);
    } catch (error) {
      check('ends without an error', false, error.stack);
    }
    const seconds = [(Date.now() - startedMs) / 1000, cpuSeconds() - startedCpu].map(Math.round);
    process.stdout.write(`${topic}, ${name}: ${seconds[0]} s, ${seconds[1]} s of CPU time\n`);
  }
}

/** CPU time of this process and of its children that have ended. */
function cpuSeconds() {
  const fields = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ');
  const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  return ticks / 100;
}

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
