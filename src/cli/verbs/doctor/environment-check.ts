import { shellQuoted } from '../../../fault.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import type { LoadedPipeline } from '../../../run/job/pipeline-file.ts';
import { type Diagnosis, fine, warning } from './diagnosis.ts';

/** Whether other users may read the .env beside the pipeline; no diagnosis if there is none. */
export async function checkEnvironmentFile({
  resolve,
}: Pick<LoadedPipeline, 'resolve'>): Promise<readonly Diagnosis[]> {
  const file = resolve('.env');
  const facts = await localDisk.stat(file).catch(() => null);
  if (facts === undefined) return [];
  if (facts?.kind !== 'file') {
    const remedy = 'Put a file of variables there, or remove it.';
    return [warning('.env', `${file} is not a file that can be read.`, remedy)];
  }
  if (facts.isPrivate) return [fine('.env', 'Only its owner may read it.')];
  const remedy = `Run: chmod 600 ${shellQuoted(file)}`;
  return [warning('.env', `${file} is readable by other users.`, remedy)];
}
