import { readdir } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

/**
 * windrow beyond one machine, over real servers: each topic is a file that exports `scenarios`,
 * which get `check(name, isTrue, seen)`. Ends with one line, `N passed, N failed`.
 *
 *     python3 -m venv test/scale/.venv && test/scale/.venv/bin/pip install -r test/scale/requirements.txt
 *     npm run build && npm run test:scale [-- TOPIC [SCENARIO]]
 */

const here = fileURLToPath(new URL('./', import.meta.url));
const [wanted, one] = process.argv.slice(2);
let passed = 0;
let failed = 0;

for (const file of (await readdir(here)).filter((name) => name.endsWith('.mjs')).sort()) {
  const topic = file.replace(/\.mjs$/, '');
  if (topic === 'run' || (wanted !== undefined && topic !== wanted)) continue;
  const { scenarios } = await import(`./${file}`);
  for (const [name, scenario] of Object.entries(scenarios ?? {})) {
    if (one !== undefined && name !== one) continue;
    const startedMs = Date.now();
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
    process.stdout.write(`${topic}, ${name}: ${Math.round((Date.now() - startedMs) / 1000)} s\n`);
  }
}

process.stdout.write(`${passed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 && passed > 0 ? 0 : 1;
