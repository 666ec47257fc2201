import { readdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { curate, curatedFiles } from '../../../../src/curate/curate.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { pythonEngine } from '../../../../src/run/lake/python-engine.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { expectTablesOfBoth, landHeight } from '../../../fixtures/two-heights.ts';
import { whenOver } from '../../../fixtures/when-over.ts';
import { TableReader } from '../../../model/curate/tables.ts';

const small = freshLake(beforeEach);
let reader: TableReader;

beforeEach(async () => {
  reader = await TableReader.open();
  whenOver(() => reader.close());
});

/** Curates in another program, in chunks of one row. */
function curateBy(
  master: string,
  isFull: boolean,
  program = resolve('test/fixtures/compute-jobs.mjs'),
): Promise<unknown> {
  const { lake } = small;
  const engine = pythonEngine({
    engine: program,
    master,
    python: process.execPath,
    env: process.env,
    staging: lake.layout.stagingOf(lake.run),
    disk: localDisk,
    effects: quietEffects(),
    note: () => undefined,
    stoppable: (work) => work(new AbortController().signal),
  });
  const limits = { chunkRows: 1, gapRows: -1 };
  return curate({ lake, effects: quietEffects(), disk: localDisk, isFull, limits, engine });
}

test('jobs that another program executes twice give the tables of this process', async () => {
  await landHeight(small, '10');
  await curateBy('all', true);
  await landHeight(small, '60');
  await curateBy('changed', false);
  await expectTablesOfBoth(small, reader);
});

test('a program that fails or loses a file leaves the tables as they are', async () => {
  await landHeight(small, '10');
  await curateBy('all', true);
  const before = await curatedFiles(small.lake);
  await expect(curateBy('broken', true)).rejects.toThrow('the cluster is full');
  const { layout, run } = small.lake;
  expect(await readdir(join(layout.stagingOf(run)))).toEqual([]);
  await expect(curateBy('lossy', true)).rejects.toThrow('no whole result of job-000000.json');
  expect(await curatedFiles(small.lake)).toEqual(before);
});

test('a name that is neither an engine nor a program is refused with those that are', async () => {
  await landHeight(small, '10');
  await expect(curateBy('local[*]', true, 'sparc')).rejects.toMatchObject({
    kind: 'usage',
    message: '--engine is sparc, which is neither spark nor a file.',
    advice: expect.stringMatching(/^Name spark, or the path of a Python program.*--queue/),
  });
});
