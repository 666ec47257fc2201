/**
 * Guards on the truth of messages and prices; see guards.mjs.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const MESSAGE_GUARDS = [
  {
    name: 'ranges below the head that are not final',
    file: 'src/plan/slices.ts',
    text: "return from > head ? 'above-head' : 'not-final';",
    without: "return 'above-head';",
    tests: ['test/unit/cli/terminal/plan-text.test.ts'],
  },
  {
    name: 'ranges outside of the blocks of a request',
    file: 'src/plan/slices.ts',
    text: "return intersection(whole, part) ?? 'outside-range';",
    without: "return intersection(whole, part) ?? 'above-head';",
    tests: ['test/unit/cli/terminal/plan-text.test.ts'],
  },
  {
    name: 'complete shares of a refetch',
    file: 'src/plan/slices.ts',
    text: 'missing += blocksIn(gap) * same.length;',
    without: 'missing = blocksIn(final) * keys.length;',
    tests: ['test/unit/cli/terminal/plan-text.test.ts'],
  },
  {
    name: 'surplus arguments that are no verbs',
    file: 'src/cli/usage-fault.ts',
    text: 'if (first !== undefined && verb !== undefined) {',
    without: 'if (first === undefined && verb !== undefined) {',
    tests: ['test/unit/cli/usage-fault.test.ts'],
  },
  {
    name: 'values of options that begin with a dash, and missing ones',
    file: 'src/cli/verb-table.ts',
    text: 'return args.requiresArg(Object.keys(key).filter((name) => !others.has(name)));',
    without:
      'return args.requiresArg(Object.keys(key).filter((name) => others.has(name) && !name));',
    tests: ['test/unit/cli/command-line.test.ts'],
  },
  {
    name: 'options without a value in words',
    file: 'src/cli/command-line.ts',
    text: '(withoutValue(error.message, line) ?? error)',
    without: 'error',
    tests: ['test/unit/cli/command-line.test.ts'],
  },
  {
    name: 'the argument that a line lacks',
    file: 'src/cli/usage-fault.ts',
    text: 'const wrong = withoutArgument(message, help) ?? noChoice(message, help);',
    without: 'const wrong = noChoice(message, help);',
    tests: ['test/unit/cli/command-line.test.ts'],
  },
  {
    name: 'a data root that is not writable',
    file: 'src/cli/verb-table.ts',
    text: "throw await rootFault(error, given['data']);",
    without: 'throw error;',
    tests: ['test/unit/cli/root-fault.test.ts'],
  },
  {
    name: 'reading that was refused',
    file: 'src/cli/root-fault.ts',
    text: 'if (!isReadOnly && !(await wasWriting(error, error.path))) return error;',
    without: '',
    tests: ['test/unit/cli/root-fault.test.ts'],
  },
  {
    name: 'notes for addresses alone that were not followed',
    file: 'src/cli/terminal/answer-notes.ts',
    text: 'if (followed.has(address)) return [];',
    without: '',
    tests: ['test/unit/cli/terminal/query-advice.test.ts'],
  },
  {
    name: 'advice below the caret of DuckDB',
    file: 'src/fault.ts',
    text: "const separator = this.message.includes('\\n') ? '\\n' : ' ';",
    without: "const separator = ' ';",
    tests: ['test/unit/cli/terminal/query-advice.test.ts'],
  },
  {
    name: 'walks by height that read no page twice',
    file: 'src/plan/walk-price.ts',
    text: "if (list === 'ranged') return 0;",
    without: '',
    tests: ['test/unit/fetch/price/price-probe.test.ts'],
  },
  {
    name: 'a full disk in errors of the operating system',
    file: 'src/cli/command-line.ts',
    text: 'return diskFault(error, path);',
    without: 'return error;',
    tests: ['test/unit/cli/command-line.test.ts'],
  },
];
