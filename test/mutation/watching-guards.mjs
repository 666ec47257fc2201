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
];
