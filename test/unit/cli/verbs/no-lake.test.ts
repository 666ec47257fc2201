import { mkdir, readdir, writeFile } from 'node:fs/promises';
import { hostname } from 'node:os';
import { dirname, join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../../../service/src/program.ts';
import { commandLine } from '../../../../src/cli/command-line.ts';
import { printResult } from '../../../../src/cli/terminal/verb-result.ts';
import { connectVerb } from '../../../../src/cli/verbs/connect.ts';
import { loadVerb } from '../../../../src/cli/verbs/load.ts';
import { quarantineVerb } from '../../../../src/cli/verbs/quarantine/quarantine.ts';
import { runsVerb } from '../../../../src/cli/verbs/runs.ts';
import { statusVerb } from '../../../../src/cli/verbs/status/status.ts';
import { layout } from '../../../../src/land/storage/layout.ts';
import { LIST, SmallLake, transaction } from '../../../fixtures/load-lake.ts';
import { keepingConsole } from '../../../fixtures/quiet-console.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

let folder = '';
const said: string[] = [];
beforeEach(async () => {
  folder = await freshFolder();
  said.length = 0;
});
const output = keepingConsole(said);
const quarantine = (action: 'list' | 'show' | 'drop') => (data: string) =>
  printResult(
    quarantineVerb({ action, id: [], data, all: action !== 'show', limit: '5' }, output),
    output,
  );

const VERBS = {
  status: (data: string) => printResult(statusVerb({ data }, output), output),
  runs: (data: string) => printResult(runsVerb({ data, limit: '5' }, output), output),
  'runs NAME': (data: string) =>
    printResult(runsVerb({ run: '2026', data, limit: '5' }, output), output),
  load: (data: string) => printResult(loadVerb({ data, full: false }, output), output),
  connect: (data: string) => printResult(connectVerb({ data }, output), output),
  'contract list': (data: string) =>
    commandLine(['contract', 'list', '--data', data], output, PROGRAM),
  'quarantine list': quarantine('list'),
  'quarantine show': quarantine('show'),
  'quarantine drop': quarantine('drop'),
};

describe('a data root without a lake', () => {
  it.each(Object.entries(VERBS))(
    '%s says so, with exit code 2, and makes nothing',
    async (_, verb) => {
      const empty = join(folder, 'empty');
      await mkdir(empty);
      for (const data of [join(folder, 'nowhere'), empty]) {
        await expect(verb(data)).rejects.toMatchObject({
          exitCode: 2,
          where: data,
          message: 'There is no lake here yet.',
          advice: expect.stringContaining('--data DIR') as string,
        });
      }
      expect(said).toEqual([]);
      expect(await readdir(folder)).toEqual(['empty']);
      expect(await readdir(empty)).toEqual([]);
    },
  );

  it('names a run that was killed before its first commit', async () => {
    const { lock } = layout(folder);
    await mkdir(dirname(lock), { recursive: true });
    await writeFile(
      lock,
      JSON.stringify({ pid: 4_000_000, host: hostname(), since: 'x', id: 'x' }),
    );
    await expect(VERBS.status(folder)).rejects.toMatchObject({
      message: 'There is no lake here yet. A run was killed before its first commit.',
      remedy: { command: 'windrow runs' },
    });
  });

  it('is no fault where a run has been that landed nothing', async () => {
    const { runs, lastReport, reportOf } = layout(folder);
    await mkdir(runs);
    const report = { run: 'x', pipeline: 'p', startedAt: '2026-01-02T03:04:05Z' };
    const text = JSON.stringify({ ...report, endedAt: '2026-01-02T03:04:06Z' });
    for (const file of [reportOf('x'), lastReport]) await writeFile(file, text);
    expect(await VERBS.runs(folder)).toBe(0);
    expect(await VERBS.status(folder)).toBe(0);
  });
});

describe('a lake', () => {
  it('may be without reports and without a quarantine', async () => {
    const small = await SmallLake.open(folder);
    await small.land(LIST.transactions, { keys: ['0xa'], records: [transaction()] });
    small.lake.close();
    for (const verb of ['status', 'runs', 'quarantine list', 'quarantine drop'] as const) {
      expect(await VERBS[verb](folder), verb).toBe(0);
    }
    expect(said.join()).toContain('has no reports of runs yet');
    expect(said.join()).toContain('has no records in quarantine');
  });
});
