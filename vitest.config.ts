import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { defineConfig } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';

/**
 * `npm test` leaves these out: they take most of the time, and a shorter test of the same kind
 * stays. `npm run test:files` plays them with as few cases as `npm test`, `npm run test:all` with
 * more.
 */
const LONG = [
  'contract/answers-document',
  'contract/conformance-mutation',
  'contract/filters',
  'contract/identity',
  'contract/limits',
  'contract/pushdown',
  'contract/views',
  'contract/views-activity',
  'contract/views-amounts',
  'contract/views-blend',
  'contract/views-fields',
  'contract/views-holdings',
  'contract/views-names',
  'contract/views-vocabulary',
  'contract/views-zone',
  'hostile/command-line',
  'hostile/limits',
  'property/checks',
  'property/coverage-table',
  'property/depths-in-three-styles',
  'property/explorer',
  'property/lake-questions',
  'property/limits-in-three-styles',
  'property/pacer',
  'property/record-texts',
  'property/reorganisations',
  'property/repeated-pages',
  'property/shared-pacer',
  'property/table',
  'property/verify',
  'unit/alerts/month',
  'unit/catalogue/growth',
  'unit/cli/terminal/query-advice',
  'unit/cli/verbs/damage',
  'unit/cli/verbs/doctor/doctor',
  'unit/cli/verbs/maintain/maintain',
  'unit/explorer/facts/warehouse-reader',
  'unit/explorer/untrusted-texts',
  'unit/export/arrow',
  'unit/export/csv',
  'unit/export/destination',
  'unit/export/loaded-rows',
  'unit/export/narrowing',
  'unit/export/xlsx',
  'unit/land/found-keys',
  'unit/land/quarantine/quarantine',
  'unit/land/replay/replay-walk',
  'unit/land/rows/digest',
  'unit/land/rows/list-position',
  'unit/land/rows/pending-table',
  'unit/land/storage/lock',
  'unit/load/as-of',
  'unit/load/checks',
  'unit/load/checks-contradictions',
  'unit/load/checks-nonces',
  'unit/load/checks-state',
  'unit/load/data-dictionary',
  'unit/load/empty-warehouse',
  'unit/load/publication',
  'unit/load/query/macros',
  'unit/load/warehouse',
  'unit/maintain/forget',
  'unit/maintain/small-runs',
  'unit/pipeline/properties',
  'unit/run/follow-failures',
  'unit/run/limits',
  'unit/run/month',
  'unit/service/faults/document',
  'unit/service/faults/faults',
  'unit/service/lake/availability',
  'unit/service/lake/find',
  'unit/service/lake/lake-source',
  'unit/service/lake/torn',
  'unit/service/memory/chain-source',
  'unit/service/memory/chunks',
  'unit/service/memory/records-source',
  'unit/service/memory/reorganise',
  'unit/service/node/rpc',
  'unit/service/node/rpc-ledger',
  'unit/service/node/rpc-reorganise',
  'unit/service/openapi/openapi',
  'unit/service/server/metrics',
  'unit/service/verification/compiler',
  'unit/simulated/balances',
  'unit/simulated/bridge/crossings',
  'unit/simulated/chain',
  'unit/simulated/primary/forks',
  'unit/simulated/primitives/raw-transactions',
  'unit/simulated/zone',
].map((name) => `test/${name}.test.ts`);

/** `npm run test:most` leaves these out: together they take a third of the time of all files. */
const LONGEST = [
  'contract/views-activity',
  'contract/views-amounts',
  'contract/views-blend',
  'contract/views-holdings',
  'contract/views-zone',
  'e2e/damage',
  'e2e/faults-on-demand',
  'e2e/logs',
  'e2e/moving-lists',
  'e2e/orders-and-sizes',
  'e2e/plan-price',
  'e2e/plan-probe',
  'e2e/quarantine',
  'e2e/reorganisations',
  'e2e/traces',
  'e2e/two-writers',
  'faults/curate',
  'faults/full-disk',
  'faults/maintain',
  'property/checks',
  'unit/alerts/month',
  'unit/explorer/facts/warehouse-reader',
  'unit/explorer/untrusted-texts',
  'unit/export/destination',
  'unit/export/xlsx',
  'unit/land/replay/replay-walk',
  'unit/load/as-of',
  'unit/load/checks',
  'unit/load/checks-state',
  'unit/load/publication',
  'unit/load/query/macros',
  'unit/maintain/forget',
  'unit/run/follow-failures',
  'unit/run/limits',
  'unit/run/month',
  'unit/service/lake/availability',
  'unit/service/lake/lake-source',
  'unit/service/memory/chain-source',
  'unit/service/memory/chunks',
  'unit/service/openapi/openapi',
  'unit/service/verification/compiler',
  'unit/simulated/balances',
  'unit/simulated/primary/forks',
].map((name) => `test/${name}.test.ts`);

/** The only ones of their folders in `npm test`. */
const SHORT_E2E = ['built', 'first-export', 'runs-that-end-early'];
const SHORT_FAULTS = ['kill', 'power-cut'];

/** The longest files, which start first, in this order, so that no core is idle at the end. */
export const FIRST = [
  'e2e/documented-commands',
  'e2e/canaries',
  'e2e/intents',
  'e2e/real-curated',
  'e2e/lake-round-trip',
  'e2e/every-endpoint',
  'e2e/damage',
  'e2e/verbs',
  'e2e/real-records',
  'hostile/limits',
  'hostile/empties',
  'hostile/order',
  'property/whole',
].map((name) => `test/${name}.test.ts`);

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const rank = ({ moduleId }: TestSpecification) => {
      const at = FIRST.findIndex((end) => moduleId.endsWith(`/${end}`));
      return at < 0 ? FIRST.length : at;
    };
    return sorted.sort((a, b) => rank(a) - rank(b));
  }
}

/** It replaces a part of Node, which must not be loaded before. */
const ALONE = 'test/unit/service/answer/authentication.test.ts';

/** Runs in tests share no state with runs of the user. */
const STATE_DIR = join(tmpdir(), 'windrow-test-state');

interface Project {
  readonly name: string;
  readonly testTimeout: number;
  readonly globalSetup?: string[];
  /** Names of the only tests in `npm test`. */
  readonly short?: readonly string[];
}

const PROJECTS: readonly Project[] = [
  { name: 'property', testTimeout: 120_000 },
  { name: 'contract', testTimeout: 60_000 },
  { name: 'e2e', testTimeout: 240_000, globalSetup: ['test/build.ts'], short: SHORT_E2E },
  { name: 'faults', testTimeout: 600_000, globalSetup: ['test/build.ts'], short: SHORT_FAULTS },
  { name: 'hostile', testTimeout: 600_000, globalSetup: ['test/build.ts'] },
];

export default defineConfig(({ mode }) => {
  const isThorough = mode === 'thorough' || Number(process.env['THOROUGH'] ?? 0) >= 1;
  const env = {
    WINDROW_STATE_DIR: STATE_DIR,
    ...(isThorough ? { THOROUGH: process.env['THOROUGH'] ?? '1' } : {}),
  };
  // Files of a project share their imports: modules hold no state, and loading them again costs a
  // third. Vitest takes `isolate` from the project alone, not from the settings around it.
  const shared = { isolate: false, hookTimeout: 60_000, retry: 0, env };
  // `every-file`: all files, with the few cases of `npm test`; `most-files`: without the longest.
  const isWhole = isThorough || mode === 'every-file' || mode === 'most-files';
  const left = mode === 'most-files' ? LONGEST : [];
  const exclude = isWhole ? left : LONG;
  const projects = PROJECTS.map(({ name, testTimeout, globalSetup = [], short }) => {
    const names = isWhole || short === undefined ? ['**/*'] : short;
    const include = names.map((each) => `test/${name}/${each}.test.ts`);
    return { test: { ...shared, name, include, exclude, testTimeout, globalSetup } };
  });
  const unit = {
    ...shared,
    name: 'unit',
    include: ['test/unit/**/*.test.ts', 'test/*.test.ts'],
    exclude: [ALONE, ...exclude],
    testTimeout: 60_000,
  };
  return {
    test: {
      // Tests wait for the disk and for other processes as often as they compute.
      maxWorkers: 3,
      sequence: { sequencer: LongestFirst },
      projects: [
        { test: unit },
        { test: { ...shared, name: 'unit alone', include: [ALONE], isolate: true } },
        ...projects,
      ],
    },
  };
});
