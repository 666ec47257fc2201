import { fileURLToPath } from 'node:url';
import { attacked } from '../e2e/service-abuse.ts';

/**
 * The attack of the end-to-end test at its full length: 200 slow sockets for a minute and 1,000
 * malformed requests, against the build in `dist` or another one that is named. Prints what became
 * of them, the 99th percentile of a good client's requests and the memory the service took.
 * Arguments: seconds (60), slow sockets (200), malformed requests (1000), the build's main.js.
 *
 *     npm run build && npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       node node_modules/.bench/test/bench/service-abuse.js 60 200 1000 dist/cli/main.js
 */
const [seconds = '60', slow = '200', malformed = '1000', named] = process.argv.slice(2);
const main = named ?? fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

const found = await attacked(main, {
  durationMs: Number(seconds) * 1000,
  slowSockets: Number(slow),
  malformed: Number(malformed),
});
process.stdout.write(`${JSON.stringify(found, null, 2)}\n`);
