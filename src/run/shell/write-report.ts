import { writeWhole } from '../../export/destination.ts';
import { lakeFacts } from '../../export/report/lake-facts.ts';
import { reportPage } from '../../export/report/page.ts';
import { Fault } from '../../fault.ts';
import type { RunReport } from '../../land/reports/run-reports.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';

/**
 * Writes the page of a run beside its report in `runs`, or to `out`, whole or not at all. Returns
 * its path.
 */
export async function writeReport(
  paths: Layout,
  run: RunReport,
  out?: string,
  mayReplace = true,
): Promise<string> {
  if (out === undefined && paths.made !== paths.root) {
    throw new Fault('usage', 'The page of a run lies in the data root, which cannot be written.', {
      where: paths.root,
      advice: 'Give another path with --out FILE.',
    });
  }
  const text = reportPage(run, await lakeFacts(paths));
  if (out === undefined) {
    const file = paths.pageOf(run.run);
    await localDisk.put(file, text);
    return file;
  }
  return writeWhole(out, text, { layout: paths, disk: localDisk, mayReplace });
}
