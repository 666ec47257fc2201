/**
 * Guards on files, pages and notebooks that leave windrow; see guards.mjs.
 *
 * @type {readonly import('./guards.d.mts').Guard[]}
 */
export const RESULT_GUARDS = [
  {
    name: 'numbers that a spreadsheet would change',
    file: 'src/export/csv-file.ts',
    text: 'const long = isRaw ? new Set<string>() : await longNumberColumns(selection);',
    without: 'const long = new Set<string>();',
    tests: ['test/unit/export/csv.test.ts'],
  },
  {
    name: 'a quote before text that begins with one',
    file: 'src/export/csv-file.ts',
    text: "'''') OR ",
    without: "'=') OR ",
    tests: ['test/unit/export/csv.test.ts'],
  },
  {
    name: 'numbers of a workbook',
    file: 'src/export/xlsx-file.ts',
    text: 'const long = await longNumberColumns(selection);',
    without: 'const long = new Set<string>();',
    tests: ['test/unit/export/xlsx.test.ts'],
  },
  {
    name: 'the rows of a sheet',
    file: 'src/export/xlsx-file.ts',
    text: 'if (Number(count) <= MAX_ROWS) return;',
    without: 'if (Number(count) >= 0) return;',
    tests: ['test/unit/export/xlsx.test.ts'],
  },
  {
    name: 'escapes of XLSX in text',
    file: 'src/export/xlsx-file.ts',
    text: ".replaceAll(ESCAPE, '_x005F_')",
    without: '',
    tests: ['test/unit/export/xlsx.test.ts'],
  },
  {
    name: 'statements in a condition',
    file: 'src/load/query/stream.ts',
    text: 'await this.#guard(() => checkStatement(this.#connection, sql));',
    without: '',
    tests: ['test/unit/export/narrowing.test.ts'],
  },
  {
    name: 'folders that hold other files',
    file: 'src/export/destination.ts',
    text: 'if (partitionBy !== undefined) await checkOwnFolder(file, partitionBy);',
    without: '',
    tests: ['test/unit/export/narrowing.test.ts'],
  },
  {
    name: 'one attempt for a stream',
    file: 'src/export/exact-types.ts',
    text: 'if (isOnce) return write(await unfitColumns(selection));',
    without: '',
    tests: ['test/unit/export/narrowing.test.ts'],
  },
  {
    name: 'numbers in a narrow table',
    file: 'src/load/query/text-table.ts',
    text: 'isWhole(type) ? MAX_WIDTH : maxWidth',
    without: 'maxWidth',
    tests: ['test/unit/load/query/fitted-table.test.ts'],
  },
  {
    name: 'semicolons in strings',
    file: 'src/cli/verbs/query/shell/input.ts',
    text: 'if (UNCLOSED.test(bare) || ',
    without: 'if (',
    tests: ['test/unit/cli/verbs/query/shell.test.ts'],
  },
  {
    name: 'readers of the history',
    file: 'src/cli/verbs/query/shell/history.ts',
    text: 'await chmod(file, OWNER_ONLY);',
    without: '',
    tests: ['test/unit/cli/verbs/query/shell.test.ts'],
  },
  {
    name: 'line ends in literals of Python',
    file: 'src/notebook/notebook.ts',
    text: 'return JSON.stringify(value).replaceAll(',
    without: "return JSON.stringify(value) || ''.replaceAll(",
    tests: ['test/unit/notebook/notebook.test.ts'],
  },
  {
    name: 'names of templates',
    file: 'src/notebook/template.ts',
    text: 'if (!names.includes(name)) {',
    without: 'if (names.length === 0) {',
    tests: ['test/unit/notebook/notebook.test.ts'],
  },
  {
    name: 'text on a page',
    file: 'src/html/html.ts',
    text: 'return escaped(String(part));',
    without: 'return String(part);',
    tests: ['test/unit/report/page.test.ts'],
  },
  {
    name: 'styles of charts',
    file: 'src/report/charts.ts',
    text: "for (const style of svg.querySelectorAll('style')) style.remove();",
    without: '',
    tests: ['test/unit/report/page.test.ts'],
  },
  {
    name: 'few samples of a long run',
    file: 'src/run/rate-samples.ts',
    text: 'if (this.#samples.length <= MOST_SAMPLES) return;',
    without: 'if (this.#samples.length >= 0) return;',
    tests: ['test/unit/run/rate-samples.test.ts'],
  },
];
