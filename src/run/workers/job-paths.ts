import { relative } from 'node:path';
import type { ChunkJob } from '../../curate/chunk-job.ts';
import { Fault } from '../../fault.ts';
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

/**
 * A portable job with the path of the data root on this machine. Throws a Fault for a job with
 * files outside of it.
 */
export function localJob(job: ChunkJob, root: string): ChunkJob {
  const local = changed(job, (text) => between(text, ROOT, root));
  const outputs = local.tables.flatMap(({ output }) => output ?? []);
  for (const { path } of [...local.files, ...outputs]) {
    if (!relative(root, path).startsWith('..')) continue;
    throw new Fault('configuration', 'A job of the queue names a file outside of the data root.', {
      where: path,
      advice: 'Let no strangers reach Redis: it needs a password, as docs/scaling.md says.',
    });
  }
  return local;
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
