import { mkdir, writeFile } from 'node:fs/promises';
import { expect, test } from 'vitest';
import { printResult } from '../../../../../src/cli/terminal/verb-result.ts';
import { statusVerb } from '../../../../../src/cli/verbs/status/status.ts';
import { layout } from '../../../../../src/land/storage/layout.ts';
import { LIST, SmallLake } from '../../../../fixtures/load-lake.ts';
import { quietConsole } from '../../../../fixtures/quiet-console.ts';

test('a reason with a part for each key is cut after three of them, but not in JSON', async () => {
  const lake = await SmallLake.open();
  const parts = [11, 12, 13, 14, 15].map((at) => `a record at height ${at} was listed for 0-9`);
  const reason = parts.join('; ');
  await lake.land(LIST.transactionsByHash, { keys: ['0x01'], status: 'inconsistent', reason });
  const told = async (isJson: boolean): Promise<string> => {
    const lines: string[] = [];
    const output = { ...quietConsole, isJson, out: (line: string) => lines.push(line) };
    await printResult(statusVerb({ data: lake.root }, output), output);
    return lines.join('\n');
  };
  expect(await told(false)).toContain(
    `inconsistent for 1 key, blocks 0 to 99: ${parts.slice(0, 3).join('; ')} and 2 more`,
  );
  expect(await told(false)).not.toContain(parts[3]);
  expect(await told(true)).toContain(reason);
  await lake.close();
});

test('a success of blocks that the command line named advises a run of all blocks', async () => {
  const lake = await SmallLake.open();
  await lake.land(LIST.transactionsByHash, { keys: ['0x01'] });
  await lake.publish();
  const told = async (isWhole: boolean): Promise<string> => {
    const run = '20260102T030000Z-a1';
    const times = { startedAt: '2026-01-02T03:00:00.000Z', endedAt: '2026-01-02T03:01:00.000Z' };
    const report = { run, pipeline: 'nightly', pipelineFile: 'my.yaml', ...times, isWhole };
    await mkdir(layout(lake.root).runs, { recursive: true });
    await writeFile(layout(lake.root).reportOf(run), JSON.stringify({ ...report, exitCode: 0 }));
    const lines: string[] = [];
    const output = { ...quietConsole, isJson: false, out: (line: string) => lines.push(line) };
    await printResult(statusVerb({ data: lake.root }, output), output);
    return lines.join('\n');
  };
  expect(await told(false)).toMatch(/^Next: windrow run my\.yaml --data \S+ \(no run of all/m);
  expect(await told(true)).toMatch(/^Next: nothing to do: all is well/m);
  await lake.close();
});

test('the ranges of a list beside its first one are counted', async () => {
  const lake = await SmallLake.open();
  const coveredBy = async (...starts: number[]): Promise<string> => {
    for (const from of starts) {
      await lake.land(LIST.transactionsByHash, { keys: ['0x01'], from, to: from + 9 });
    }
    const lines: string[] = [];
    const output = {
      ...quietConsole,
      isJson: false,
      out: (options: string) => lines.push(options),
    };
    await printResult(statusVerb({ data: lake.root }, output), output);
    return lines.join('\n');
  };
  expect(await coveredBy(0)).toMatch(/complete for all looked-up hashes, blocks 0 to 9$/m);
  expect(await coveredBy(100)).toMatch(/blocks 0 to 9 and 1 more range$/m);
  expect(await coveredBy(200)).toMatch(/blocks 0 to 9 and 2 more ranges$/m);
  await lake.close();
});
