import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { windrowProcess } from '../e2e/command-line.ts';
import type { Clock } from './clock.ts';
import type { RunEnd, RunSetup } from './windrow.ts';

/** The same runs as a user starts them: the built command line, over HTTP and on the real clock. */

export const REAL_CLOCK: Clock = {
  now: () => Date.now(),
  sleep: async (delayMs) => {
    await delay(delayMs);
  },
};

/** The lines of a report that name something wrong. */
const TELLING = /failed|ended|finding|lists at most|Failed|inconsistent|truncated/;

export async function runCommandLine({ text, keys, root, service }: RunSetup): Promise<RunEnd> {
  const server = createServer((request, response) => {
    service.answer(request.url ?? '/').then(
      ({ status, headers, body }) => response.writeHead(status, headers).end(body),
      () => response.writeHead(500).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  try {
    const { port } = server.address() as AddressInfo;
    const pipeline = join(root, 'hostile.yaml');
    const addresses = join(root, 'addresses.csv');
    await writeFile(pipeline, text);
    await writeFile(addresses, `address\n${(keys['addresses'] ?? []).join('\n')}\n`);
    const url = ['--source-url', `http://127.0.0.1:${port}`];
    const options = ['--addresses', addresses, '--data', root];
    const { code, stdout, stderr } = await windrowProcess(['run', pipeline, ...url, ...options]);
    const lines = `${stdout}\n${stderr}`.split('\n').filter((line) => TELLING.test(line));
    return { exit: code ?? -1, messages: lines };
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
