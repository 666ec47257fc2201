import { defineConfig } from 'vitest/config';

const project = (name: string, testTimeout: number, globalSetup: string[] = []) => ({
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
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
    projects: [
      {
        test: {
          name: 'unit',
          include: ['test/unit/**/*.test.ts', 'test/*.test.ts'],
          testTimeout: 20_000,
          retry: 0,
        },
      },
      project('property', 120_000),
      project('contract', 60_000),
      project('e2e', 240_000, ['test/build.ts']),
      project('faults', 600_000, ['test/build.ts']),
    ],
  },
});
