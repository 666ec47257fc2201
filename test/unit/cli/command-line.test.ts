import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { describe, expect, it, vi } from 'vitest';
import { PROGRAM } from '../../../service/src/program.ts';
import { commandLine, report, wrapped } from '../../../src/cli/command-line.ts';
import { checkPaths } from '../../../src/cli/verb.ts';
import { Fault } from '../../../src/fault.ts';
import { quietConsole } from '../../fixtures/quiet-console.ts';

/** Goal: an error of the operating system that no stage has named is told in words. */

it.each([
  ['ENOSPC', /The disk is full\. Make room/],
  ['EIO', /The disk failed\. Check the disk/],
  ['EACCES', /The operating system reports: .*permissions.*--data DIR/],
  ['EROFS', /The operating system reports: .*permissions.*--data DIR/],
  ['EEXIST', /The operating system reports: .*permissions.*--data DIR/],
])('%s is no stack trace', (code, words) => {
  const notes: string[] = [];
  const error = Object.assign(new Error(`${code}: told by the system, write`), { code });
  const output = { ...quietConsole, note: (text: string) => void notes.push(text) };
  expect(report(error, output)).toBe(1);
  expect(notes.join()).toMatch(words);
  expect(notes.join()).not.toContain('    at ');
});

it.each([
  ['data', '~/lake', /begins with ~, which the shell did not replace/],
  ['out', '~/rows.csv', /begins with ~/],
  ['out', 's3://bucket/rows.csv', /begins with s3: and is not a path on this machine/],
  ['data', 'file:lake', /begins with file:/],
  ['out', 'hf://datasets/x', /begins with hf:/],
  ['data', '/srv/a*b/lake', /has the character "\*", which is a pattern for DuckDB/],
  ['data', '/srv/a?', /has the character "\?"/],
  ['data', '/srv/a[b]c', /has the character "\["/],
  ['data', 'two\nlines', /has the character "\\n"/],
  ['data', '/srv/year=2026/lake', /has the folder year=2026, which is a column for DuckDB/],
])('--%s %j is refused before anything is read or written', (option, path, words) => {
  expect(() => checkPaths({ [option]: path })).toThrow(words);
});

it('other paths are taken as they are', () => {
  for (const path of ["it's", '-x', '100%', 'a b', 'a\\b', 'C:\\lake', 'x{a,b}', 'ü;#$"', '-']) {
    expect(() => checkPaths({ data: path, out: path })).not.toThrow();
  }
  expect(() => checkPaths({ out: '/srv/year=2026/[a]*.csv' })).not.toThrow();
});

it('a verb does not begin where its data root is no path', async () => {
  expect(await refusalOf('status', '--data', '~/lake')).toContain('the shell did not replace');
});

it('a fault about files that DuckDB reads keeps its own advice', () => {
  const notes: string[] = [];
  const output = { ...quietConsole, note: (text: string) => void notes.push(text) };
  const fault = new Fault('query', 'IO Error: No files found that match the pattern "x"', {
    advice: 'Run windrow load.',
  });
  report(fault, output);
  expect(notes.join()).toContain('Run windrow load.');
});

/** The help text of this command line, as it is printed. */
async function helpOf(...line: string[]): Promise<string> {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const lines: string[] = [];
  try {
    const output = { ...quietConsole, columns: 100, out: (text: string) => void lines.push(text) };
    const words = line.includes('-h') ? line : [...line, '--help'];
    await commandLine(words, output, PROGRAM);
    return [...lines, ...log.mock.calls].join('\n');
  } finally {
    log.mockRestore();
  }
}

/** The message on this command line; none of them gets as far as its verb. */
async function refusalOf(...line: string[]): Promise<string> {
  const notes: string[] = [];
  const output = { ...quietConsole, note: (text: string) => void notes.push(text) };
  const error = await commandLine(line, output, PROGRAM).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(report(error, output)).toBe(2);
  return notes.join('\n');
}

describe('every verb', async () => {
  const usages = [...(await helpOf()).matchAll(/^ {2}windrow ([a-z]+)(.*)/gm)];

  it('is known here', () => expect(usages.length).toBeGreaterThan(20));

  it.each(usages.map(([, verb = '', usage = '']) => [verb, usage]))(
    '%s names the argument or the value that a line lacks',
    async (verb, usage) => {
      const [demanded] = /<\w+>/.exec(usage) ?? [];
      if (demanded !== undefined) {
        const refusal = await refusalOf(verb);
        expect(refusal).toContain(`windrow: ${verb} needs ${demanded}: `);
        expect(refusal).toContain('. The command is');
      }
      const parts = (await helpOf(verb)).split(/\n\n|\n(?=\s+(?:-\w, )?--)/);
      const last = parts.findLast((part) => part.includes('--') && /\[(string|choices)/.test(part));
      const [option = ''] = /--[a-z-]+/.exec(last ?? '') ?? [];
      const more = demanded === undefined ? [] : ['x'];
      expect(await refusalOf(verb, ...more, option)).toContain(`${option} has no value.`);
    },
  );
});

it('has help behind -h', async () => {
  expect(await helpOf('run', '-h')).toBe(await helpOf('run'));
  expect(await refusalOf('describe', 'WRONG')).toMatch(/Allowed here: .*, and \d+ more\.$/m);
});

it('has examples that stand on one line each, also after windrow help VERB', async () => {
  for (const [, verb = ''] of (await helpOf()).matchAll(/^ {2}windrow ([a-z]+)/gm)) {
    const text = await helpOf('help', verb);
    const [, examples = ''] = /^Examples:\n((?: .*\n)*)/m.exec(text) ?? [];
    if (verb !== 'version') expect(examples, verb).not.toBe('');
    expect(examples, verb).not.toMatch(/^ {2}(?! |windrow|source)/m);
  }
});

it.each([
  [['maintain', '--retain', '-1d'], '--retain is not a duration (-1d).'],
  [['maintain', '--file-rows', '-5'], '--file-rows is out of range (-5).'],
  [['maintain', '--retain', '-d'], '--retain has no value.'],
])('a value that begins with a dash reaches its option: %j', async (line, message) => {
  expect(await refusalOf(...line)).toContain(message);
});

it.each([
  ['forget 0xa --dry-run=yes', '--dry-run takes no value (yes). Write --dry-run, or leave it out.'],
  ['maintain --dryRun=1', '--dry-run takes no value (1).'],
  ['status --json=maybe', '--json takes no value (maybe).'],
  ['run my.yaml --data=', '--data has no value. Give one: --data VALUE, or'],
  ['run my.yaml --metrics-file=', '--metrics-file has no value.'],
  ['plan my.yaml --blocks 1:2 --blocks 3:4', '--blocks has 2 values: 1:2, 3:4. Give one of them.'],
  ['help queyr', 'There is no verb queyr. Did you mean query?'],
  ['statsu --help', 'There is no verb statsu. Did you mean status?'],
  ['worker', 'worker needs --queue: Redis whose workers share the work'],
  ['alerts test', 'Run: windrow alerts test PIPELINE'],
])('a line that the parser would take in another way is refused: %s', async (line, message) => {
  expect(await refusalOf(...line.split(' '))).toContain(message);
});

it('a shell completes the words after an option whose value is still empty', async () => {
  const log = vi.spyOn(console, 'log').mockReturnValue();
  const line = ['--get-yargs-completions', 'windrow', 'plan', '--data', ''];
  expect(await commandLine(line, quietConsole, PROGRAM)).toBe(0);
  expect(log.mock.calls.flat()).toContain('--help');
  log.mockRestore();
});

it('an option that is on or off may say so', async () => {
  const line = ['maintain', '--dry-run=true', '--data', 'nowhere'];
  expect(await refusalOf(...line)).toContain('There is no lake here yet.');
});

it('a refusal lists each option of the verb once, also where an example shows it', async () => {
  const refusal = await refusalOf('query', 'SELECT 1', '--xyzzyplugh');
  expect(refusal.match(/--as-of/g)).toHaveLength(1);
  expect(await refusalOf('verify', '--blocks', '1:2')).toContain('verify does not use --blocks');
});

it('without a verb, windrow lists its verbs by task, within the width of the terminal', async () => {
  const lines: string[] = [];
  const output = { ...quietConsole, columns: 72, out: (text: string) => void lines.push(text) };
  expect(await commandLine([], output, PROGRAM)).toBe(0);
  const text = lines.join('\n');
  expect([...text.matchAll(/^([A-Z][a-z]+):$/gm)].map(([, task]) => task)).toEqual([
    'Start',
    'Export',
    'Ask',
    'Watch',
    'Repair',
    'Options',
  ]);
  expect(Math.max(...text.split('\n').map((line) => line.length))).toBeLessThanOrEqual(72);
});

it('the completion script of bash completes verbs and options', async () => {
  const lines: string[] = [];
  const out = (text: string) => void lines.push(text);
  const output = { ...quietConsole, isJson: false, out };
  expect(await commandLine(['completion', 'bash'], output, PROGRAM)).toBe(0);
  // A stand-in for the program: it prints words for the line that it is called with.
  const words = 'windrow() { test "$1" = --get-yargs-completions && echo "status sql $3x"; }';
  const complete = `COMP_WORDS=(windrow st); COMP_CWORD=1; _windrow; echo "\${COMPREPLY[@]}"`;
  const script = [words, ...lines, complete].join('\n');
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('status stx\n');
});

it('docs/commands.md has every verb under its task', () => {
  const page = readFileSync(new URL('../../../docs/commands.md', import.meta.url), 'utf8');
  for (const [task, verbs] of Object.entries(PROGRAM)) {
    const [, section = ''] = page.split(`## ${task}\n`);
    const [shown = ''] = section.split('\n## ');
    for (const { command } of verbs) {
      const [verb = ''] = command.split(' ');
      // The demo and the version are on the first page, and in every help.
      if (['demo', 'version', 'sql'].includes(verb)) continue;
      expect(shown, `${verb} in ${task}`).toMatch(new RegExp(`(windrow|\\.\\.\\.) ${verb}\\b`));
    }
  }
});

it('an option for several values keeps all of them, and a range may begin with a minus', async () => {
  const file = 'pipelines/demo.yaml';
  const only = ['--only', 'blocks', '--only', 'zone_blocks,transaction'];
  expect(await refusalOf('plan', file, ...only)).toMatch(
    /"transaction".*Did you mean transactions/,
  );
  const range = ['--blocks', '-1000:+5', '--only', 'blocks'];
  expect(await refusalOf('plan', file, ...range)).toContain('--blocks counts from the safe height');
  expect(await refusalOf('contract', 'list', 'a.yaml', 'b.yaml')).toContain('takes no files');
  expect(await refusalOf('contract', 'submit', 'a.yaml')).toContain('needs a pipeline');
});

it('a word that is wider than the terminal stays whole', () => {
  expect(wrapped('one incomprehensible word', 6)).toEqual(['one', 'incomprehensible', 'word']);
});
