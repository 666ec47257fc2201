/**
 * Guards of logs, metrics and traces; see guards.mjs.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const WATCHING_GUARDS = [
  {
    name: 'a log that was moved by another program',
    file: 'src/cli/log/log-file.ts',
    text: 'if (this.#isReplaced()) this.#reopen();',
    without: '',
    tests: ['test/unit/cli/log/log-file.test.ts'],
  },
  {
    name: 'control characters in lines of the log',
    file: 'src/cli/log/line-format.ts',
    text: 'printable(line)}',
    without: 'line}',
    tests: ['test/unit/cli/log/logged-console.test.ts'],
  },
  {
    name: 'errors of quiet jobs',
    file: 'src/cli/log/logged-console.ts',
    text: 'const isShown = !isQuiet || IMPORTANT.includes(level);',
    without: 'const isShown = !isQuiet;',
    tests: ['test/unit/cli/log/logged-console.test.ts'],
  },
  {
    name: 'reports of quiet jobs that ended badly',
    file: 'src/cli/log/logged-console.ts',
    text: 'if (exitCode !== 0) for (const text of held) plain.out(text);',
    without: '',
    tests: ['test/unit/cli/log/logged-console.test.ts'],
  },
  {
    name: 'figures that are not known',
    file: 'src/metrics/families.ts',
    text: 'return value === undefined || Number.isNaN(value) ? [] : [{ labels, value }];',
    without: 'return [{ labels, value: value ?? 0 }];',
    tests: ['test/unit/metrics/exposition.test.ts'],
  },
  {
    name: 'names of other machines at the port of metrics',
    file: 'src/cli/metrics/metrics-port.ts',
    text: "if (isForeign) return answer(403, 'text/plain', 'Unknown host.\\n');",
    without: '',
    tests: ['test/unit/cli/metrics/metrics-port.test.ts'],
  },
  {
    name: 'runs of other blocks as a success',
    file: 'src/land/reports/run-history.ts',
    text: 'exitCode === 0 && isWhole !== false',
    without: 'exitCode === 0',
    tests: ['test/unit/land/reports/run-history.test.ts'],
  },
  {
    name: 'the lag after a partial run',
    file: 'src/land/reports/run-history.ts',
    text: 'failed.length === 0 && left === 0',
    without: 'failed.length >= 0',
    tests: ['test/unit/land/reports/run-history.test.ts'],
  },
  {
    name: 'damage before every other step',
    file: 'src/cli/verbs/status/next-step.ts',
    text: "if (isDamaged) return step('verify', 'files of the lake are damaged');",
    without: '',
    tests: ['test/unit/cli/verbs/status/status-head.test.ts'],
  },
  {
    name: 'a warning about traces that were not delivered',
    file: 'src/cli/traces/otlp-traces.ts',
    text: 'if (result.code !== SUCCESS && !isLogged) {',
    without: 'if (result.code !== SUCCESS && isLogged) {',
    tests: ['test/e2e/traces.test.ts'],
  },
  {
    name: 'the token of a collector in the environment of alert commands',
    file: 'src/cli/job/alert-job.ts',
    text: '...SECRET_VARIABLES, ...COLLECTOR_HEADERS]',
    without: '...SECRET_VARIABLES]',
    tests: ['test/e2e/canaries.test.ts'],
  },
];
