import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startVitest } from 'vitest/node';

/** Runs the tests of its arguments with the mutant of the variable MUTANT in place of its file. */

const { file, start, end, text } = JSON.parse(process.env.MUTANT);
const options = {
  config: false,
  run: true,
  isolate: false,
  setupFiles: ['test/set-up.ts'],
  maxWorkers: 2,
  bail: 1,
  include: ['test/**/*.test.ts'],
  // A mutant that hangs ends with this process.
  testTimeout: 1_800_000,
  hookTimeout: 1_800_000,
  env: { WINDROW_STATE_DIR: join(tmpdir(), 'windrow-test-state') },
};
const plugin = {
  name: 'mutant',
  enforce: 'pre',
  transform: (code, id) =>
    file !== undefined && id === join(process.cwd(), file)
      ? code.slice(0, start) + text + code.slice(end)
      : undefined,
};
const vitest = await startVitest('test', process.argv.slice(2), options, { plugins: [plugin] });
await vitest.close();
