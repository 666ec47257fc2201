import { stat } from 'node:fs/promises';
import { shellQuoted } from '../../../fault.ts';
import type { LoadedPipeline } from '../../../run/job/pipeline-file.ts';
import { type Diagnosis, fine, warning } from './diagnosis.ts';

/** Whether other users may read the .env beside the pipeline; no diagnosis if there is none. */
export async function checkEnvironmentFile({
  resolve,
}: Pick<LoadedPipeline, 'resolve'>): Promise<readonly Diagnosis[]> {
  const file = resolve('.env');
  const found = await stat(file).catch((error: NodeJS.ErrnoException) => error);
  if (found instanceof Error && found.code === 'ENOENT') return [];
  if (found instanceof Error || !found.isFile()) {
    const remedy = 'Put a file of variables there, or remove it.';
    return [warning('.env', `${file} is not a file that can be read.`, remedy)];
  }
  if ((found.mode & 0o077) === 0) return [fine('.env', 'Only its owner may read it.')];
  const remedy = `Run: chmod 600 ${shellQuoted(file)}`;
  return [warning('.env', `${file} is readable by other users.`, remedy)];
}
