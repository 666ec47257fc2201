import { stat } from 'node:fs/promises';
import { isCode } from '../../../land/storage/disk.ts';
import type { LoadedPipeline } from '../../job/pipeline-file.ts';
import { type Diagnosis, fine, warning } from './diagnosis.ts';

/** Whether other users may read the .env beside the pipeline; no diagnosis if there is none. */
export async function checkEnvironmentFile({
  resolve,
}: Pick<LoadedPipeline, 'resolve'>): Promise<readonly Diagnosis[]> {
  const file = resolve('.env');
  try {
    const { mode } = await stat(file);
    if ((mode & 0o077) === 0) return [fine('.env', 'Only its owner may read it.')];
    return [warning('.env', `${file} is readable by other users.`, `Run: chmod 600 ${file}`)];
  } catch (error) {
    if (isCode(error, 'ENOENT')) return [];
    throw error;
  }
}
