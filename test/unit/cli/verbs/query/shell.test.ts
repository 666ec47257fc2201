import { chmod, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { completions } from '../../../../../src/cli/verbs/query/shell/completion.ts';
import {
  historyFile,
  keepHistory,
  readHistory,
} from '../../../../../src/cli/verbs/query/shell/history.ts';
import { Inputs } from '../../../../../src/cli/verbs/query/shell/input.ts';
import { Shell } from '../../../../../src/cli/verbs/query/shell/shell.ts';
import { Fault } from '../../../../../src/fault.ts';
import { keepingConsole } from '../../../../fixtures/quiet-console.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

/** Goal: the shell knows when a statement ends, what to complete, and how to answer. */

function typed(...names: string[]) {
  return names.map((name) => ({ name, type: name === 'block_number' ? 'BIGINT' : 'VARCHAR' }));
}

const NAMES = {
  views: ['blocks', 'transactions', 'lake.blocks'],
  columns: new Map([
    ['blocks', typed('block_number', 'miner')],
    ['transactions', typed('block_number', 'tx_hash', 'nonce')],
    ['lake.blocks', typed('block_number', '_run')],
  ]),
  macros: ['ledger_of('],
};

test.each([
  [['SELECT 1;'], 'SELECT 1;'],
  [['SELECT 1', 'AS a ;  '], 'SELECT 1\nAS a ;'],
  [["SELECT ';", "';"], "SELECT ';\n';"],
  [['SELECT 1 -- one;', ';'], 'SELECT 1 -- one;\n;'],
  [['SELECT 1; -- the end'], 'SELECT 1; -- the end'],
  [['SELECT "a;', 'b";'], 'SELECT "a;\nb";'],
  [['/* a;', '*/ SELECT 1;'], '/* a;\n*/ SELECT 1;'],
  [["SELECT 'it''s;';"], "SELECT 'it''s;';"],
])('%j is one statement', (lines, sql) => {
  const inputs = new Inputs();
  const taken = lines.map((line) => inputs.take(line));
  expect(taken.slice(0, -1).every((input) => input === undefined)).toBe(true);
  expect(taken.at(-1)).toEqual({ kind: 'query', sql });
  expect(inputs.isOpen).toBe(false);
});

test('commands are one line; within a statement a dot is SQL', () => {
  const inputs = new Inputs();
  expect(inputs.take('  ')).toBeUndefined();
  expect(inputs.take('.Schema blocks')).toEqual({
    kind: 'command',
    name: 'schema',
    argument: 'blocks',
  });
  inputs.take('SELECT 1');
  expect(inputs.take('.5;')).toEqual({ kind: 'query', sql: 'SELECT 1\n.5;' });
  inputs.take('SELECT 2');
  expect(inputs.rest()).toEqual({ kind: 'query', sql: 'SELECT 2' });
  expect(inputs.rest()).toBeUndefined();
});

test.each([
  ['SELECT * FROM tr', '', ['transactions']],
  ['select * from blocks join l', '', ['lake.blocks']],
  ['SELECT mi', 'FROM blocks', ['miner', 'min']],
  ['SELECT non', '', ['nonce']],
  ['SELECT led', '', ['ledger_of(']],
  ['.ta', '', ['.tables']],
  ['.schema b', '', ['blocks']],
  ['.mode v', '', ['vertical']],
  ['zzz', '', []],
])('completes %j', (line, before, expected) => {
  const [results, word] = completions(line, before, NAMES);
  expect(results).toEqual(expected);
  expect(line.endsWith(word)).toBe(true);
});

function shellWith(ask: ConstructorParameters<typeof Shell>[0]['ask']) {
  const printed: string[] = [];
  const noted: string[] = [];
  const output = { ...keepingConsole(printed, noted), columns: 80 };
  let ms = 0;
  const now = (): number => {
    ms += 250;
    return ms;
  };
  const shell = new Shell({ ask, names: NAMES, output, now, form: 'table' });
  return { shell, printed, noted };
}

test('answers, and goes on after an error', async () => {
  const { shell, printed, noted } = shellWith(async (sql) => {
    if (sql.includes('bad')) throw new Fault('query', 'It is bad.', { advice: 'Mend it.' });
    const columns = [{ name: 'a', type: 'BIGINT' }];
    return { columns, rows: [{ a: 1 }], truncated: true, notes: ['It has no answer.'] };
  });
  expect(await shell.answer({ kind: 'query', sql: 'SELECT 1;' })).toBe(0);
  expect(printed).toEqual(['a\n-\n1\n(1 row)']);
  expect(noted).toEqual(['It has no answer.', 'There are more rows: see --max-rows.']);
  expect(await shell.answer({ kind: 'query', sql: 'bad;' })).toBe(2);
  expect(noted.at(-1)).toContain('Mend it.');
  const command = (name: string, argument = '') =>
    shell.answer({ kind: 'command', name, argument });
  expect(await command('mode', 'json')).toBe(0);
  await shell.answer({ kind: 'query', sql: 'SELECT 1;' });
  expect(printed.at(-1)).toBe('[{"a":1}]');
  expect([
    await command('mode', 'x'),
    await command('nosuch'),
    await command('schema', 'x'),
  ]).toEqual([2, 2, 2]);
  expect(await command('tables')).toBe(0);
  expect(printed.slice(-3)).toEqual(NAMES.views);
  await command('schema', 'blocks');
  expect(printed.at(-1)).toBe('blocks\n  block_number  BIGINT\n  miner         VARCHAR');
  await command('help');
  expect(printed.at(-1)).toContain('.schema');
  expect(await command('quit')).toBeUndefined();
});

test('reads statements of a file, adds answers to a file, and times them', async () => {
  const folder = await freshFolder();
  const request: string[] = [];
  const { shell, printed, noted } = shellWith(async (sql) => {
    request.push(sql);
    if (sql.includes('bad')) throw new Fault('query', 'It is bad.', { advice: 'Mend it.' });
    const columns = [{ name: 'a', type: 'BIGINT' }];
    return { columns, rows: [{ a: 1 }], truncated: false, notes: [] };
  });
  const command = (name: string, argument = '') =>
    shell.answer({ kind: 'command', name, argument });
  const sql = join(folder, 'my questions.sql');
  const to = join(folder, 'answers.txt');
  await writeFile(sql, `.output ${to}\n.mode json\nSELECT 1;\nSELECT 2;\n.output\nSELECT 3`);
  expect(await command('read', sql)).toBe(0);
  expect(request).toEqual(['SELECT 1;', 'SELECT 2;', 'SELECT 3']);
  expect(await readFile(to, 'utf8')).toBe('[{"a":1}]\n[{"a":1}]\n');
  expect(printed).toEqual(['[{"a":1}]']);
  await writeFile(sql, 'bad;\nSELECT 4;');
  expect(await command('read', sql)).toBe(2);
  expect(request).not.toContain('SELECT 4;');
  await writeFile(sql, `.read ${sql}`);
  expect(await command('read', sql)).toBe(2);
  expect(noted.at(-1)).toBe(`${sql} reads itself.`);
  expect(await command('read', join(folder, 'none.sql'))).toBe(2);
  expect(noted.at(-1)).toContain('The file cannot be read: ENOENT');
  expect(await command('output', join(folder, 'none', 'x'))).toBe(2);
  expect(noted.at(-1)).toContain('Answers cannot be written there');
  expect([await command('timer', 'on'), await command('timer')]).toEqual([0, 2]);
  await shell.answer({ kind: 'query', sql: 'SELECT 5;' });
  expect(noted.at(-1)).toBe('Time: 0.250 s');
});

test('the history is kept for its owner alone, newest lines first', async () => {
  const folder = await freshFolder();
  const file = historyFile({ XDG_STATE_HOME: folder });
  expect(await readHistory(file)).toEqual([]);
  await keepHistory(file, ['SELECT 2;', 'SELECT 1;']);
  expect(await readFile(file, 'utf8')).toBe('SELECT 1;\nSELECT 2;\n');
  expect(await readHistory(file)).toEqual(['SELECT 2;', 'SELECT 1;']);
  await writeFile(file, '');
  await chmod(file, 0o644);
  await keepHistory(file, ['SELECT 3;']);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  await keepHistory('/proc/none/sql_history', ['x']);
});
