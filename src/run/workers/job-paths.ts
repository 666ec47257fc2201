import type { ChunkJob } from '../../curate/chunk-job.ts';
import { literal } from '../../land/storage/sql-text.ts';

/** Stands for the data root, which has another path on each machine. */
const ROOT = 'windrow:root';

/** The job for machines with another path of the data root, with new paths of some files. */
export function portableJob(
  job: ChunkJob,
  root: string,
  moved: ReadonlyMap<string, string>,
): ChunkJob {
  return changed(job, (text) => {
    let path = moved.get(text) ?? text;
    for (const [from, to] of moved) path = path.replaceAll(literal(from), literal(to));
    return between(path, root, ROOT);
  });
}

/** A portable job with the path of the data root on this machine. */
export function localJob(job: ChunkJob, root: string): ChunkJob {
  return changed(job, (text) => between(text, ROOT, root));
}

/** A path, or SQL with paths in quotes, below another folder. */
function between(text: string, from: string, to: string): string {
  if (text.startsWith(`${from}/`)) return `${to}${text.slice(from.length)}`;
  const start = (folder: string): string => literal(`${folder}/`).slice(0, -1);
  return text.replaceAll(start(from), start(to));
}

function changed(job: ChunkJob, change: (text: string) => string): ChunkJob {
  return JSON.parse(JSON.stringify(job), (_, value: unknown) => {
    return typeof value === 'string' ? change(value) : value;
  });
}
