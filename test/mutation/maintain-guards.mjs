const MERGES = ['test/unit/maintain/merges.test.ts'];
const FORGET = ['test/unit/maintain/forget.test.ts'];
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
    text: 'small.filter((file) => !isProvisional(file));',
    without: 'small.filter((file) => !isProvisional(file) || true);',
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
    name: 'few files of many lists',
    file: 'src/maintain/merges.ts',
    text: 'isCrowded ? 1 : FEW_FILES,',
    without: 'isCrowded ? FEW_FILES : FEW_FILES,',
    tests: MERGES,
  },
  {
    name: 'few large files are left alone',
    file: 'src/maintain/merges.ts',
    text: 'isCrowded ? settled : withoutFewLarge(settled, target),',
    without: 'isCrowded ? withoutFewLarge(settled, target) : settled,',
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
    name: 'rows of forgotten keys that others explain',
    file: 'src/land/rule/forgotten-keys.ts',
    text: 'return { endpoint, variant, interval: { from, to }, keys, protectedBy };',
    without:
      'return { endpoint, variant, interval: { from, to }, keys, protectedBy: protectedBy.slice(0, 0) };',
    tests: FORGET,
  },
  {
    name: 'coverage of forgotten keys',
    file: 'src/land/delta/fold.ts',
    text: 'for (const { keys, ...list } of ledger.forgotten) this.coverage.drop(list, keys);',
    without:
      'for (const { keys, ...list } of ledger.forgotten) this.coverage.keysOf({ ...list, ...keys });',
    tests: FORGET,
  },
  {
    name: 'heights of forgotten keys',
    file: 'src/land/delta/changed-heights.ts',
    text: 'for (const claim of [...claims, ...forgotten]) {',
    without: 'for (const claim of claims) {',
    tests: ['test/unit/land/delta/changed-heights.test.ts'],
  },
  {
    name: 'origins of rows that others explain',
    file: 'src/land/verify/origins.ts',
    text: 'return rest.keys.length === 0 ? heirs : [rest, ...heirs];',
    without: 'return rest.keys.length === 0 ? heirs.slice(0, 0) : [rest];',
    tests: ['test/unit/land/verify/verify.test.ts'],
  },
  {
    name: 'hashes that other rows name',
    file: 'src/maintain/lost-hashes.ts',
    text: 'gone.delete(String(hash));',
    without: 'gone.has(String(hash));',
    tests: FORGET,
  },
  {
    name: 'hashes that pipelines take from other rows',
    file: 'src/maintain/lost-hashes.ts',
    text: 'if (sources.length === 0) return undefined;',
    without: 'if (sources.length >= 0) return undefined;',
    tests: FORGET,
  },
  {
    name: 'look-ups that no given pipeline requests',
    file: 'src/maintain/lost-hashes.ts',
    text: 'if (sources.length === 0) return undefined;',
    without: "if (sources.length === 0) return 'false';",
    tests: FORGET,
  },
  {
    name: 'broken records that others may explain',
    file: 'src/maintain/forget-plan.ts',
    text: 'return (named.length === 0 ? keys : named).every(isGone);',
    without: 'return (named.length === 0 ? keys : named).some(isGone);',
    tests: FORGET,
  },
  {
    name: 'merges change no data',
    file: 'src/land/delta/stored-table.ts',
    text: 'const dataChange = !onlyMovesRows(prepared);',
    without: 'const dataChange = !onlyMovesRows(prepared) || prepared.copies?.length !== -1;',
    tests: MAINTAIN,
  },
];
