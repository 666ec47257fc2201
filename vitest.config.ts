import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';

/**
 * The folder of a test says in which set it is: scripts of package.json name folders. Tests of
 * `BUILT` start what build/ makes of the sources, all others only import the sources.
 */
const BUILT = '{,service/}test/{smoke,e2e,faults,hostile,long}/**/*.test.ts';

/** Ends a test that hangs, and no other one, however slow the machine is. */
const HANG_MS = 1_800_000;

export default defineConfig(({ mode }) => {
  const settings = {
    // Modules hold no state, and loading them again for each file costs more than most files.
    // Vitest takes this from the project alone, not from the settings around it.
    isolate: false,
    setupFiles: ['test/set-up.ts'],
    testTimeout: HANG_MS,
    hookTimeout: HANG_MS,
    expect: { poll: { timeout: HANG_MS / 6 } },
    env: {
      // Runs in tests share no state with runs of the user.
      WINDROW_STATE_DIR: join(tmpdir(), 'windrow-test-state'),
      ...(mode === 'thorough' ? { THOROUGH: process.env['THOROUGH'] ?? '1' } : {}),
    },
  };
  const include = ['{,service/}test/**/*.test.ts'];
  return {
    test: {
      // Tests wait for the disk and for other processes as often as they compute.
      maxWorkers: 3,
      projects: [
        { test: { ...settings, name: 'sources', include, exclude: [BUILT, '**/node_modules/**'] } },
        { test: { ...settings, name: 'built', include: [BUILT], globalSetup: ['test/build.ts'] } },
      ],
    },
  };
});
