import { expect, it } from 'vitest';
import { closeReport, openReport, readReport } from '../../../../src/land/reports/run-reports.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { layout } from '../../../../src/land/storage/layout.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

it('a failure on a full disk has its report where the open one was', async () => {
  const paths = layout(await freshFolder());
  const started = { run: 'r', pipeline: 'p', startedAt: '2026-01-02T00:00:00.000Z' };
  await openReport(paths, localDisk, 'r', JSON.stringify(started));
  const full = Object.assign(new Error('full'), { code: 'ENOSPC' });
  const put: typeof localDisk.put = async (...args) => {
    if ((await localDisk.list(paths.runs)).length > 0) throw full;
    await localDisk.put(...args);
  };
  const close = (more: object) =>
    closeReport(paths, { ...localDisk, put }, 'r', JSON.stringify({ ...started, ...more }));
  await expect(close({ pipeline: 'é'.repeat(3000) })).rejects.toBe(full);
  expect((await readReport(paths, localDisk, 'r'))?.pipeline).toBe('p');
  await expect(close({ exitCode: 1 })).rejects.toBe(full);
  expect((await readReport(paths, localDisk, 'r'))?.exitCode).toBe(1);
});
