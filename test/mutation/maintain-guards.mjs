const MERGES = ['test/unit/maintain/merges.test.ts'];
const MAINTAIN = ['test/unit/maintain/maintain.test.ts'];

/** @type {readonly import('./guards.d.mts').Guard[]} */
export const MAINTAIN_GUARDS = [
  {
    name: 'merges of one list each',
    file: 'src/maintain/merges.ts',
    text: "const list = file.source === undefined ? '' : listKey(file.source);",
    without: "const list = file.source === undefined ? '' : listKey(file.source).slice(0, 0);",
    tests: MERGES,
  },
  {
    name: 'merges without provisional files',
    file: 'src/maintain/merges.ts',
    text: 'small.filter((file) => !isProvisional(file)),',
    without: 'small.filter((file) => !isProvisional(file) || true),',
    tests: MERGES,
  },
  {
    name: 'merges that are worth copying',
    file: 'src/maintain/merges.ts',
    text: 'else if (!isWorthCopying(file.rows, rows)) close(false);',
    without: 'else if (!isWorthCopying(file.rows, rows) && rows < 0) close(false);',
    tests: MERGES,
  },
  {
    name: 'files of one merge',
    file: 'src/maintain/merges.ts',
    text: 'if (!fits || group.length >= MAX_FILES) close(true);',
    without: 'if (!fits || group.length >= MAX_FILES * 10) close(true);',
    tests: MERGES,
  },
  {
    name: 'damaged files are not merged',
    file: 'src/maintain/merge-files.ts',
    text: 'if (what !== undefined) return { file, what };',
    without: 'if (what !== undefined && file.rows === -1) return { file, what };',
    tests: MAINTAIN,
  },
  {
    name: 'provisional heights of a list',
    file: 'src/maintain/tables.ts',
    text: 'return provisional.some((each) => overlaps(each, heights));',
    without: 'return provisional.some((each) => overlaps(each, heights)) && heights.from < 0;',
    tests: MAINTAIN,
  },
  {
    name: 'columns of a newer windrow',
    file: 'src/maintain/tables.ts',
    text: 'return columns.every((name) => own.has(name));',
    without: 'return columns.every((name) => own.has(name) || name !== undefined);',
    tests: MAINTAIN,
  },
  {
    name: 'retention of replaced files',
    file: 'src/maintain/table-plan.ts',
    text: '} else if (atMs > 0 && atMs <= nowMs - retainMs) expired.push({ path, bytes });',
    without: '} else if (atMs > 0) expired.push({ path, bytes });',
    tests: MAINTAIN,
  },
  {
    name: 'removals without a time',
    file: 'src/maintain/table-plan.ts',
    text: '} else if (atMs > 0 && atMs <= nowMs - retainMs) expired.push({ path, bytes });',
    without: '} else if (atMs <= nowMs - retainMs) expired.push({ path, bytes });',
    tests: MAINTAIN,
  },
  {
    name: 'young orphans',
    file: 'src/maintain/table-plan.ts',
    text: 'if (modifiedMs <= nowMs - Math.max(retainMs, YOUNG_MS)) orphans.push({ path, bytes });',
    without:
      'if (modifiedMs <= nowMs - Math.min(retainMs, YOUNG_MS)) orphans.push({ path, bytes });',
    tests: MAINTAIN,
  },
  {
    name: 'merges change no data',
    file: 'src/land/delta/stored-table.ts',
    text: 'const dataChange = prepared.merges === undefined;',
    without: 'const dataChange = true;',
    tests: MAINTAIN,
  },
];
