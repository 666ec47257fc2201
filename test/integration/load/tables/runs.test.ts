import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { freshLake } from '../../../fixtures/fresh-lake.ts';

const small = freshLake(beforeEach);

/** The parts of a run's report that the warehouse reads, and one that it does not. */
const report = {
  schemaVersion: 1,
  run: 'first',
  pipeline: 'demo',
  startedAt: '2024-01-02T03:04:05.000Z',
  endedAt: '2024-01-02T03:04:07.500Z',
  exitCode: 3,
  nothingToDo: false,
  planned: { requests: 10, slices: 4, rows: null },
  actual: {
    requests: 12,
    rejections: 1,
    bytes: 5_000,
    commits: 2,
    slices: 4,
    rows: 100,
    rowsReplaced: 7,
    quarantined: 1,
  },
  failed: [{ endpoint: 'a' }],
  left: 0,
  checks: [
    { check: 'gaps', severity: 'note', findings: 5 },
    { check: 'orphans', severity: 'error', findings: 2 },
  ],
};

async function keep(name: string, text: string): Promise<void> {
  await mkdir(small.lake.layout.runs, { recursive: true });
  await writeFile(join(small.lake.layout.runs, name), text);
}

test('every report beside the lake is a row, but for the copy of the last one', async () => {
  const text = JSON.stringify(report);
  await keep('first.json', text);
  await keep('last_run.json', text);
  await keep('note.txt', 'no report');
  await small.publish();
  expect((await small.ask('FROM runs')).rows).toEqual([
    {
      run: 'first',
      pipeline: 'demo',
      started_at: '2024-01-02T03:04:05.000Z',
      ended_at: '2024-01-02T03:04:07.500Z',
      seconds: 2.5,
      exit: 3,
      nothing_to_do: false,
      planned_requests: 10,
      requests: 12,
      rejections: 1,
      received: 5_000,
      slices: 4,
      slices_failed: 1,
      slices_left: 0,
      commits: 2,
      rows: 100,
      rows_replaced: 7,
      quarantined: 1,
      errors_found: 2,
    },
  ]);
});

test('a report that cannot be read is a row with its name alone', async () => {
  await keep('first.json', '{"pipeline": "demo"');
  await keep('second.json', JSON.stringify({ ...report, exitCode: 'unknown' }));
  const { pipeline, startedAt, endedAt, exitCode } = report;
  await keep('third.json', JSON.stringify({ pipeline, startedAt, endedAt, exitCode }));
  await small.publish();
  expect(await small.rows('SELECT run, exit, planned_requests FROM runs ORDER BY run')).toEqual([
    ['first', null, null],
    ['second', null, null],
    ['third', 3, null],
  ]);
});

test('without reports there are no runs', async () => {
  await small.publish();
  expect(await small.rows('FROM runs')).toEqual([]);
});
