import { defineConfig } from 'vitest/config';

/** Left to `THOROUGH=1`, with which the gate runs, so that everybody's run stays short. */
const LONG = [
  'test/e2e/contract-verification.test.ts',
  'test/e2e/damage.test.ts',
  'test/e2e/differential.test.ts',
  'test/e2e/documented-commands.test.ts',
  'test/e2e/faults-on-demand.test.ts',
  'test/e2e/intents.test.ts',
  'test/e2e/lake-round-trip.test.ts',
  'test/e2e/plan-price.test.ts',
  'test/e2e/quarantine.test.ts',
  'test/e2e/real-round-trip.test.ts',
  'test/e2e/reorganisations.test.ts',
  'test/e2e/two-writers.test.ts',
  'test/faults/quarantine.test.ts',
];
const isThorough = Number(process.env['THOROUGH'] ?? 0) >= 1;

/** It replaces a part of Node for itself, which must not be loaded before. */
const ALONE = 'test/unit/service/answer/authentication.test.ts';

const project = (name: string, testTimeout: number, globalSetup: string[] = []) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    exclude: isThorough ? [] : LONG,
    testTimeout,
    hookTimeout: 60_000,
    retry: 0,
    globalSetup,
  },
});

export default defineConfig({
  test: {
    // Tests wait for the disk and for other processes as often as they compute.
    maxWorkers: 3,
    // Files share what they import: modules hold no state, and loading them anew costs a third.
    isolate: false,
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/*.test.ts'],
          exclude: [ALONE],
          testTimeout: 20_000,
          hookTimeout: 60_000,
          retry: 0,
        },
      },
      { test: { name: 'unit alone', include: [ALONE], isolate: true, retry: 0 } },
      project('property', 120_000),
      project('contract', 60_000),
      project('e2e', 240_000, ['test/build.ts']),
      project('faults', 600_000, ['test/build.ts']),
      project('hostile', 600_000, ['test/build.ts']),
    ],
  },
});
