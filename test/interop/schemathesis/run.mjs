/**
 * The served OpenAPI document must be true: Schemathesis makes requests from it, good and bad ones,
 * and every answer must be one that the document foretells.
 *
 *     npm run build && cd test/interop/schemathesis
 *     python3 -m venv .venv && .venv/bin/pip install -r requirements.txt && node run.mjs
 *
 * The simulated chain reaches a little beyond the birth of its zone chain, so that both have
 * records to answer with. `WINDROW_MAIN` may name another build than `dist`.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { say, Tally } from '../tally.mjs';

const HEAD = 29_060;
const EXAMPLES_PER_OPERATION = 30;
const LEAST_REQUESTS = 2000;
const MAX_SECONDS = 3600;
/** Those of our own in hooks.py stand in their place. */
const REPLACED_CHECKS = ['negative_data_rejection', 'positive_data_acceptance'];

const here = import.meta.dirname;
const main = process.env.WINDROW_MAIN ?? join(here, '../../../dist/cli/main.js');
const tally = new Tally();
const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);

const service = spawn(
  process.execPath,
  [main, 'serve', '--chain', 'demo', '--head', `${HEAD}`, '--no-auth', '--port', '0', '--json'],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
try {
  const [line] = await once(createInterface({ input: service.stdout }), 'line');
  await hold(JSON.parse(line).url);
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  service.kill();
}
tally.close();

async function hold(url) {
  const { code, output } = await schemathesis(`${url}/openapi.json`);
  const [, generated = '0', passed = '0'] =
    /([0-9]+) generated, ([0-9]+) passed/.exec(output) ?? [];
  const isFine = code === 0 && generated === passed;
  if (!isFine) say(output);
  tally.holds(`schemathesis (seed ${seed}) finds nothing, exit code ${code}`, isFine);
  tally.holds(`${generated} requests are enough`, Number(generated) >= LEAST_REQUESTS);
  const [, selected, total] = /Selected: ([0-9]+)\/([0-9]+)/.exec(output) ?? [];
  tally.equal('every operation is tried', selected, total);

  const metrics = await (await fetch(`${url}/metrics`)).text();
  const answers = [...metrics.matchAll(/^windrow_requests_total\{.*status="(\d+)".* (\d+)$/gm)];
  const byStatus = {};
  for (const [, status, count] of answers) {
    byStatus[status] = (byStatus[status] ?? 0) + Number(count);
  }
  const failed = Object.keys(byStatus).filter((status) => status >= '500');
  tally.equal('the service never fails', failed, []);
  const counts = Object.entries(byStatus).map(([status, count]) => `${status}: ${count}`);
  say(`schemathesis: ${generated} requests; answers by HTTP status ${counts.join(', ')}`);
}

/** Its exit code and all it printed. */
async function schemathesis(document) {
  const child = spawn(
    join(here, '.venv/bin/schemathesis'),
    [
      ...['--config-file', join(here, 'schemathesis.toml')],
      ...['run', document, '--checks', 'all', '--exclude-checks', REPLACED_CHECKS.join(',')],
      ...['--max-examples', `${EXAMPLES_PER_OPERATION}`, '--seed', `${seed}`],
      // These limits end hangs alone.
      ...['--request-timeout', '600', '--max-response-time', '600'],
      ...['--continue-on-failure', '--no-color'],
    ],
    { cwd: here, stdio: ['ignore', 'pipe', 'pipe'], timeout: MAX_SECONDS * 1000 },
  );
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (part) => {
      output += part;
    });
  }
  const [code] = await once(child, 'close');
  return { code, output };
}
