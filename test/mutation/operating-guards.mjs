/**
 * Guards of setting up, schedules and following; see guards.mjs.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const OPERATING_GUARDS = [
  {
    name: 'secrets of alerts that a run at its time reads from .env',
    file: 'src/cli/verbs/schedule/schedule.ts',
    text: 'const isNeeded = variablesOf(loaded).length > 0 || (await isThere(environment));',
    without: 'const isNeeded = await isThere(environment);',
    tests: ['test/unit/cli/verbs/schedule/schedule.test.ts'],
  },
  {
    name: 'secrets of alerts that the environment lacks',
    file: 'src/cli/verbs/doctor/alert-check.ts',
    text: 'if (unset.length > 0) {',
    without: 'if (unset.length > 1_000) {',
    tests: ['test/unit/cli/verbs/doctor/alert-check.test.ts'],
  },
  {
    name: 'line breaks in the words of a crontab or a unit',
    file: 'src/cli/verbs/schedule/schedule.ts',
    text: 'needOneLine([...runCommand(job), job.image]);',
    without: '',
    tests: ['test/unit/cli/verbs/schedule/schedule.test.ts'],
  },
  {
    name: 'options that the files of other schedulers give to each run',
    file: 'src/cli/verbs/schedule/scheduled-job.ts',
    text: "return [...command, 'run', pipelineFile, '--data', data, ...words(options)];",
    without:
      "return [...command, 'run', pipelineFile, '--data', data, ...words(options).slice(0, 0)];",
    tests: ['test/unit/cli/verbs/schedule/forms.test.ts'],
  },
  {
    name: 'files that init would overwrite',
    file: 'src/cli/verbs/init/init.ts',
    text: 'if (existing.length > 0 && !isForced) {',
    without: 'if (existing.length > 1_000 && !isForced) {',
    tests: ['test/unit/cli/verbs/init/init.test.ts'],
  },
  {
    name: 'unknown keys where nothing is signed',
    file: 'src/service/answer/authentication.ts',
    text: 'if (holder === undefined && !isSigned) throw unknownKey();',
    without: '',
    tests: ['test/unit/fetch/http/signing.test.ts'],
  },
  {
    name: 'a clock that differs by more than a signature allows',
    file: 'src/cli/verbs/doctor/service-checks.ts',
    text: 'return Math.abs(offsetMs) < SIGNATURE_WINDOW_MS',
    without: 'return Math.abs(offsetMs) < Number.POSITIVE_INFINITY',
    tests: ['test/unit/cli/verbs/doctor/checks.test.ts'],
  },
  {
    name: 'days that cron programs read in two ways',
    file: 'src/config/cron.ts',
    text: "if (isEitherDay && [texts[2], texts[4]].some((text) => text?.startsWith('*/'))) {",
    without: "if (!isEitherDay && [texts[2], texts[4]].some((text) => text === '')) {",
    tests: ['test/unit/config/cron.test.ts'],
  },
  {
    name: 'several missed times give one run',
    file: 'src/run/scheduler.ts',
    text: 'lastMs = timesBetween(schedule, dueMs, effects.now()).at(-1) ?? dueMs;',
    without: 'lastMs = dueMs;',
    tests: ['test/unit/run/scheduler.test.ts'],
  },
  {
    name: 'a clock that goes back repeats no run',
    file: 'src/run/scheduler.ts',
    text: 'const dueMs = nextCronMs(schedule, lastMs);',
    without: 'const dueMs = nextCronMs(schedule, effects.now());',
    tests: ['test/unit/run/scheduler.test.ts'],
  },
  {
    name: 'the lag of a replica between the runs of a follower',
    file: 'src/fetch/chain/head-memory.ts',
    text: 'if (head < highest) lags.push({ blocks: highest - head, atMs: nowMs });',
    without: '',
    tests: ['test/unit/fetch/chain/head-memory.test.ts'],
  },
  {
    name: 'the upkeep of a follower that is restarted often',
    file: 'src/run/follow.ts',
    text: 'nth % UPKEEP_EVERY === upkeepAt }',
    without: 'nth % UPKEEP_EVERY === 0 }',
    tests: ['test/unit/run/follow.test.ts'],
  },
  {
    name: 'faults that end a follower',
    file: 'src/run/follow.ts',
    text: 'if (!(error instanceof Fault) || FINAL.includes(error.kind)) throw error;',
    without: 'if (!(error instanceof Fault)) throw error;',
    tests: ['test/unit/run/follow-failures.test.ts'],
  },
  {
    name: 'corroboration of final blocks in a session',
    file: 'src/fetch/corroborate/empty-answers.ts',
    text: "const isReadAgain = session !== undefined && part.status === 'provisional';",
    without: 'const isReadAgain = session !== undefined;',
    tests: ['test/unit/fetch/corroborate/empty-answers.test.ts'],
  },
  {
    name: 'files that a writer has read stay out of memory',
    file: 'src/land/storage/parquet.ts',
    text: '{ temp_directory: spilledTo, ...UNCACHED }',
    without: '{ temp_directory: spilledTo }',
    tests: ['test/unit/land/storage/parquet.test.ts'],
  },
  {
    name: 'no environment in diagnostic reports of Node',
    file: 'src/cli/main.ts',
    text: 'const refused = withoutSecrets(process.report);',
    without: 'const refused = undefined;',
    tests: ['test/e2e/canaries.test.ts'],
  },
];
