import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));

/** Uses the address of `windrow serve` on a free port, and ends it afterwards. */
export async function whileServing(args, env, use) {
  const child = spawn(process.execPath, [MAIN, 'serve', ...args, '--port', '0', '--json'], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, ...env },
  });
  const closed = once(child, 'close');
  try {
    const [line] = await once(createInterface({ input: child.stdout }), 'line');
    await use(JSON.parse(line).url);
  } finally {
    child.kill();
    await closed;
  }
}
