import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { loggedConsole } from '../../../../src/cli/log/logged-console.ts';
import { type Console, systemConsole } from '../../../../src/cli/terminal/console.ts';
import type { LogArguments } from '../../../../src/cli/terminal/options.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

let folder = '';
beforeAll(async () => {
  folder = await freshFolder();
});
const AT = '2026-01-02T03:04:05.678Z';

interface Written {
  readonly output: Console;
  readonly stdout: () => string;
  readonly stderr: () => string;
}

async function configured(input: LogArguments, isJson = false): Promise<Written> {
  let stdout = '';
  let stderr = '';
  const screen = { isTTY: true, columns: 80 };
  const plain = systemConsole(
    isJson,
    { write: (text: string) => (stdout += text) },
    { ...screen, write: (text: string) => (stderr += text) },
    { NO_COLOR: '1' },
  );
  const output = loggedConsole(plain, { now: () => Date.parse(AT) });
  output.log?.configure(input, 'run');
  output.log?.about('20260102T030405Z-abcdef');
  return { output, stdout: () => stdout, stderr: () => stderr };
}

describe('--quiet', () => {
  it('drops progress, shows warnings and errors, and draws no status line', async () => {
    const { output, stdout, stderr } = await configured({ quiet: true });
    output.note('5/10 slices');
    output.note('a warning', 'warn');
    output.note('an error', 'error');
    output.log?.event('The run ended.', { exitCode: 0 });
    expect(stderr()).toBe('a warning\nan error\n');
    expect(stdout()).toBe('');
    expect(output.isTerminal).toBe(false);
  });

  it('holds the report of work back until it ends, and shows it unless all is well', async () => {
    const { output, stdout } = await configured({ quiet: true });
    output.log?.work();
    output.out('10 rows landed.');
    output.log?.settle(0);
    expect(stdout()).toBe('');
    output.out('5 slices failed.');
    output.log?.settle(3);
    output.log?.settle(3);
    expect(stdout()).toBe('5 slices failed.\n');
  });

  it('shows answers, and documents of --json', async () => {
    const answer = await configured({ quiet: true });
    answer.output.out('4 tables');
    expect(answer.stdout()).toBe('4 tables\n');
    const document = await configured({ quiet: true }, true);
    document.output.log?.work();
    document.output.out('{}');
    expect(document.stdout()).toBe('{}\n');
  });
});

describe('--log and --log-format', () => {
  it('write text with the time, the level and the run in every line', async () => {
    const { output, stderr } = await configured({ logFormat: 'text' });
    output.note('one\ntwo\u001b[2J', 'warn');
    output.log?.event('The run ended.', { exitCode: 0, rows: 12 });
    const head = `${AT} WARN 20260102T030405Z-abcdef`;
    const end = `${AT} INFO 20260102T030405Z-abcdef`;
    expect(stderr()).toBe(
      `${head} one\n${head} two\\u{1b}[2J\n${end} The run ended.\n${end} exitCode=0 rows=12\n`,
    );
    expect(output.isTerminal).toBe(false);
  });

  it('write one JSON object per message', async () => {
    const { output, stderr } = await configured({ logFormat: 'json' });
    output.note('windrow: a\nb', 'error', { kind: 'usage', exitCode: 2 });
    const common = { time: AT, run: '20260102T030405Z-abcdef', verb: 'run' };
    expect(
      stderr()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line)),
    ).toEqual([{ level: 'error', ...common, kind: 'usage', exitCode: 2, msg: 'windrow: a\nb' }]);
  });

  it('write messages and reports of work to a file, and leave stderr as it is', async () => {
    const log = join(folder, 'run.log');
    const { output, stdout, stderr } = await configured({ log, quiet: true });
    output.log?.work();
    output.note('5/10 slices');
    output.out('10 rows landed.');
    output.log?.settle(0);
    expect(stdout() + stderr()).toBe('');
    expect((await readFile(log, 'utf8')).split('\n')).toEqual([
      `${AT} INFO 20260102T030405Z-abcdef 5/10 slices`,
      `${AT} INFO 20260102T030405Z-abcdef 10 rows landed.`,
      '',
    ]);
  });

  it('say once on stderr that the log cannot be written', async () => {
    const { output, stderr } = await configured({ log: '/dev/full' });
    output.log?.event('one', {});
    output.log?.event('two', {});
    expect(stderr()).toMatch(/^The log \/dev\/full cannot be written: ENOSPC.*\n$/);
  });
});
