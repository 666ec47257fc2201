import { expect, test } from 'vitest';
import { readHistoryOf, readReportsByPipeline } from '../../../src/land/reports/run-history.ts';
import { closeReport } from '../../../src/land/reports/run-reports.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { layout } from '../../../src/land/storage/layout.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/** Goal: a clock that was set back hides no later run, and no failure, behind one of the future. */

const NOW = Date.parse('2026-01-02T06:00:00.000Z');

test('a run of the future does not count as the newest one, unless the clocks just differ', async () => {
  const root = await freshFolder();
  const paths = layout(root);
  const runs = [
    ['20260102T030000Z-000000', '2026-01-02T03:00:00.000Z', 0],
    ['20260102T050000Z-000000', '2026-01-02T05:00:00.000Z', 1],
    ['20260102T060200Z-000000', '2026-01-02T06:02:00.000Z', 1],
    ['20260104T060000Z-000000', '2026-01-04T06:00:00.000Z', 0],
  ] as const;
  for (const [run, startedAt, exitCode] of runs) {
    const text = JSON.stringify({ pipeline: 'p', startedAt, endedAt: startedAt, exitCode });
    await closeReport(paths, localDisk, run, text);
  }
  const { last, lastSuccessMs } = await readHistoryOf(paths, localDisk, 'p', NOW);
  expect(last?.run).toBe('20260102T060200Z-000000');
  expect(lastSuccessMs).toBe(NOW - 3 * 3_600_000);
  const all = await readReportsByPipeline(paths, localDisk, NOW);
  expect(all.get('p')?.map(({ run }) => run.slice(0, 11))).toEqual([
    '20260102T06',
    '20260102T05',
    '20260102T03',
    '20260104T06',
  ]);
});
