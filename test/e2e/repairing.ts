import { openJob } from '../../src/cli/job/open-job.ts';
import { Committer } from '../../src/land/committer.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { type Repair, repair } from '../../src/run/repair.ts';
import { systemEffects } from '../../src/system.ts';
import { type ExportOptions, PIPELINE } from './harness.ts';

/** Repairs a lake in this process, through everything but the command line. */
export async function repairLake(options: ExportOptions): Promise<Repair> {
  const parsed = parsePipeline({ text: options.text ?? PIPELINE, file: 'e2e.yaml' });
  const located = { ...parsed, source: { ...parsed.source, url: options.url } };
  const pipeline = options.change?.(located) ?? located;
  const keys = { addresses: [...options.addresses], ...options.keys };
  const effects = systemEffects('warn');
  const loaded = { pipeline, keys, file: '', resolve: (path: string) => path, notes: [] };
  const job = await openJob(loaded, options.root, undefined, effects);
  const never = new AbortController().signal;
  try {
    const { lake, run } = job;
    const committer = new Committer({ lake, run, limits: pipeline.commit, effects });
    const stops = { softStop: never, hardStop: never };
    return await repair({ ...job, ...stops, pipeline, keys, effects, committer, disk: localDisk });
  } finally {
    await job.close('nothing');
  }
}
