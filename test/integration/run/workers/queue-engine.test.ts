import { readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { curate, curatedFiles } from '../../../../src/curate/curate.ts';
import { mount } from '../../../../src/land/places/mounts.ts';
import { localDisk, machineDisk } from '../../../../src/land/storage/disk.ts';
import type { ChunkTask } from '../../../../src/run/queue/job-queue.ts';
import { ChunkRunner } from '../../../../src/run/workers/chunk-runner.ts';
import { type QueueEngineOptions, queueEngine } from '../../../../src/run/workers/queue-engine.ts';
import { freshLake } from '../../../fixtures/fresh-lake.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { expectTablesOfBoth, landHeight } from '../../../fixtures/two-heights.ts';
import { TableReader } from '../../../model/curate/tables.ts';

/**
 * Goal: workers that see the data root at another path compute the tables of one process, however
 * often they execute a job; and what they cannot compute leaves the tables as they were.
 */

const small = freshLake(beforeEach);
let reader: TableReader;
/** The data root, as the worker sees it: the path has a quote. */
let elsewhere: string;
let runner: ChunkRunner;
/** Chunks that were queued, and that the load asked for. */
let tasks: ChunkTask[];
let questions: string[];

beforeEach(async () => {
  reader = await TableReader.open();
  elsewhere = `${small.root}-the worker's`;
  await symlink(small.root, elsewhere);
  runner = new ChunkRunner(elsewhere, 'worker', { chunks: 0 });
  tasks = [];
  questions = [];
});
afterEach(async () => {
  runner.close();
  reader.close();
  await rm(elsewhere);
});

/** Executes each job twice, as after a worker was killed, and gives the second outcome. */
function queueOf(change: (task: ChunkTask) => ChunkTask): QueueEngineOptions['queue'] {
  const waiting = new Map<string, ChunkTask>();
  return {
    addChunk: async (id, task) => {
      // As it comes out of Redis.
      waiting.set(id, change(JSON.parse(JSON.stringify(task))));
      tasks.push(task);
    },
    takeOutcome: async (id) => {
      const task = waiting.get(id);
      if (task === undefined) throw new Error(`no chunk ${id}`);
      // It has not ended when it is asked for the first time.
      if (questions.push(id) % 2 === 1) return undefined;
      await runner.compute(task);
      return runner.compute(task);
    },
    dropChunk: async (id) => void waiting.delete(id),
  };
}

/** Curates on workers, in chunks of one row. */
function curateOnWorkers(
  isFull: boolean,
  { change = (task: ChunkTask) => task, leastRows = 0, queue = queueOf(change) } = {},
): Promise<unknown> {
  const { lake } = small;
  const effects = quietEffects();
  const stop = new AbortController().signal;
  const engine = queueEngine({ queue, lake, effects, note: () => undefined, stop, leastRows });
  const limits = { chunkRows: 1, gapRows: -1 };
  return curate({ lake, effects, disk: localDisk, isFull, limits, engine });
}

test('workers give the tables of one process, in full and for changes', async () => {
  await landHeight(small, '10');
  await curateOnWorkers(true);
  const count = tasks.length;
  expect(count).toBeGreaterThan(1);
  await landHeight(small, '60');
  await curateOnWorkers(false);
  expect(tasks.length).toBeGreaterThan(count);
  expect(JSON.stringify(tasks)).not.toContain(small.root);
  // The oldest one alone: each question is work of Redis and of this process.
  expect(questions).toEqual([...new Set(questions)].flatMap((id) => [id, id]));
  const committed = [...(await curatedFiles(small.lake)).values()].flat();
  await expectTablesOfBoth(small, reader);
  expect(committed.length).toBeGreaterThan(5);
  // Handed rows are removed; files of the other execution are swept by maintenance.
  const handed = join(small.lake.layout.curatedTable('MAINCHAIN', 'transactions'), '_handed');
  expect(await readdir(handed)).toEqual([]);
  const staging = small.lake.layout.stagingOf('load');
  expect(await readdir(staging)).toEqual([]);
});

test('a few rows are computed by this process', async () => {
  await landHeight(small, '10');
  await curateOnWorkers(true, { leastRows: 1000 });
  expect(tasks).toEqual([]);
  expect((await reader.curated(small.lake)).get('transactions')).toHaveLength(1);
});

test('a worker of another version, or without the files, leaves the tables as they are', async () => {
  await landHeight(small, '10');
  await curateOnWorkers(true);
  const before = await curatedFiles(small.lake);
  const other = (task: ChunkTask) => ({ ...task, version: '0.0.1' });
  await expect(curateOnWorkers(true, { change: other })).rejects.toMatchObject({
    kind: 'configuration',
    message: expect.stringMatching(
      /^The worker worker has windrow .*, and the load was planned by 0.0.1.$/,
    ),
  });
  const lacking = (task: ChunkTask) => {
    const [file = { path: '' }, ...files] = task.job.files;
    return { ...task, job: { ...task.job, files: [{ ...file, path: `${file.path}x` }, ...files] } };
  };
  await expect(curateOnWorkers(true, { change: lacking })).rejects.toThrow(
    'The worker worker lacks a file of the load.',
  );
  const larger = (task: ChunkTask) => {
    const files = task.job.files.map((file) => ({ ...file, bytes: 1 }));
    return { ...task, job: { ...task.job, files } };
  };
  await expect(curateOnWorkers(true, { change: larger })).rejects.toThrow('lacks a file');
  expect(await curatedFiles(small.lake)).toEqual(before);
});

/** A job that a stranger has put into Redis, by its change of the first one. */
const strange: Readonly<Record<string, (task: ChunkTask, file: string) => object>> = {
  'reads a file': ({ job }, file) => ({ ...job, steps: [`FROM read_text('${file}')`] }),
  'reads a file through the data root': ({ job }, file) => ({
    ...job,
    steps: [`FROM read_text('windrow:root/../${basename(file)}')`],
  }),
  'writes a file': ({ job }, file) => ({ ...job, begin: [`COPY (SELECT 1) TO '${file}'`] }),
  'writes a profile': ({ job }, file) => ({
    ...job,
    steps: ['PRAGMA enable_profiling', `SET profiling_output = '${file}'`, 'SELECT 1'],
  }),
  'names a file': ({ job }, file) => ({ ...job, files: [{ path: file }] }),
  'names a file through the data root': ({ job }, file) => ({
    ...job,
    files: [{ path: `windrow:root/../${basename(file)}` }],
  }),
  'puts a file': ({ job }, file) => ({
    ...job,
    tables: job.tables.map((table) => ({
      ...table,
      output: table.output && { ...table.output, path: `${file}/part.parquet` },
    })),
  }),
};

test.each(Object.keys(strange))(
  'a job that %s outside of the data root is refused',
  async (name) => {
    await landHeight(small, '10');
    await curateOnWorkers(true);
    const outside = `${small.root}-outside`;
    const change = (task: ChunkTask) => {
      return { ...task, job: (strange[name]?.(task, outside) ?? task.job) as ChunkTask['job'] };
    };
    await writeFile(outside, 'a secret');
    await expect(curateOnWorkers(true, { change })).rejects.toThrow(
      /Permission Error|outside of the data root|configuration has been locked/,
    );
    expect(await readFile(outside, 'utf8')).toBe('a secret');
    await rm(outside);
  },
);

test('an outcome that names a file outside of its table removes none', async () => {
  await landHeight(small, '10');
  const outside = `${small.root}-outside`;
  await writeFile(outside, 'a file');
  const file = { table: 'transactions', path: `../${basename(outside)}`, rows: 0 };
  const queue = {
    ...queueOf((task) => task),
    takeOutcome: async () => ({ result: { wrong: [], files: [file] } }),
  };
  await curateOnWorkers(true, { queue }).catch(() => undefined);
  expect(await readFile(outside, 'utf8')).toBe('a file');
  await rm(outside);
});

test('chunks are dropped together: each waits for a Redis that is away', async () => {
  await landHeight(small, '10');
  await landHeight(small, '60');
  let waiting = 0;
  let most = 0;
  const queue = {
    ...queueOf((task) => task),
    takeOutcome: async () => Promise.reject(new Error('away')),
    dropChunk: async () => {
      waiting += 1;
      most = Math.max(most, waiting);
      await Promise.resolve();
      waiting -= 1;
    },
  };
  await expect(curateOnWorkers(true, { queue })).rejects.toThrow('away');
  expect(most).toBeGreaterThan(1);
});

test('an interrupted load says so', async () => {
  await landHeight(small, '10');
  const { lake } = small;
  const effects = quietEffects();
  const engine = queueEngine({
    ...{ lake, effects, note: () => undefined, leastRows: 0 },
    stop: AbortSignal.abort(),
    queue: queueOf((task) => task),
  });
  const loading = curate({ lake, effects, disk: localDisk, isFull: true, engine });
  await expect(loading).rejects.toMatchObject({ kind: 'interrupted' });
});

test('a file that goes before the commit leaves the tables as they are', async () => {
  await landHeight(small, '10');
  await curateOnWorkers(true);
  const before = await curatedFiles(small.lake);
  const { lake } = small;
  const effects = quietEffects();
  const stop = new AbortController().signal;
  const engine = queueEngine({
    ...{ lake, effects, note: () => undefined, stop, leastRows: 0 },
    queue: queueOf((task) => task),
  });
  const losing = {
    ...engine,
    compute: (
      work: Parameters<typeof engine.compute>[0],
      take: Parameters<typeof engine.compute>[1],
    ) =>
      engine.compute(work, async (place, result) => {
        await take(place, result);
        for (const { path, rows, table } of result.files) {
          if (table === 'transactions' && rows > 0) await rm(path);
        }
      }),
  };
  const loading = () => curate({ lake, effects, disk: localDisk, isFull: true, engine: losing });
  await expect(loading()).rejects.toMatchObject({
    message: expect.stringContaining('No files found that match'),
    advice: expect.stringContaining('verify names broken files'),
  });
  // In the cache of a lake in a store, files may go that are whole in the store.
  mount({ ...machineDisk, folder: small.root, address: 's3://b/lake', move: machineDisk.rename });
  await expect(loading()).rejects.toMatchObject({
    advice: expect.stringMatching(/^Run the command again: .* files of the cache folder have gone/),
  });
  const after = await curatedFiles(small.lake);
  expect(after.get('transactions')?.map((path) => basename(path))).toEqual(
    before.get('transactions')?.map((path) => basename(path)),
  );
});
