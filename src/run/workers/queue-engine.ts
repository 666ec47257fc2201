import { randomUUID } from 'node:crypto';
import { basename, join } from 'node:path';
import type { ChunkEngine, ChunkJob } from '../../curate/chunk-job.ts';
import { CURATED_TABLES } from '../../curate/curated-tables.ts';
import { Fault } from '../../fault.ts';
import type { Lake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { windrowVersion } from '../job/version.ts';
import { due, type Surroundings } from '../lake/surroundings.ts';
import type { JobQueue } from '../queue/job-queue.ts';
import { concludedFault } from './faults.ts';
import { portableJob } from './job-paths.ts';

export interface QueueEngineOptions extends Surroundings {
  readonly queue: Pick<JobQueue, 'addChunk' | 'takeOutcome' | 'dropChunk'>;
  readonly lake: Lake;
  readonly stop: AbortSignal;
  readonly leastRows?: number;
}

const LOOK_MS = 500;
/** Chunks ahead of the oldest one that has not ended. */
const MOST_WAITING = 64;

/**
 * Computes chunks in `windrow worker` processes. These put their files into the folders of the
 * curated tables, where the commit takes them, and maintenance those of a load that was lost.
 */
export function queueEngine(options: QueueEngineOptions): ChunkEngine {
  const { queue, lake, effects, note, stop, leastRows } = options;
  const { root } = lake.layout;
  return {
    ...(leastRows === undefined ? {} : { leastRows }),
    async compute({ jobs, count }, take) {
      const load = `load-${randomUUID()}`;
      /** Files of this process that jobs read, with their published paths. */
      const handed = new Map<string, string>();
      const waiting: string[] = [];
      let taken = 0;
      const noted = due(effects);
      try {
        for (let isAll = false; !isAll || waiting.length > 0; ) {
          while (!isAll && waiting.length < MOST_WAITING) {
            const { value: job } = await jobs.next();
            isAll = job === undefined;
            if (job === undefined) break;
            await handOver(lake, job, handed);
            const moved = new Map([...handed, ...outputsOf(lake, job)]);
            const id = `${load}-${taken + waiting.length}`;
            const task = { version: windrowVersion(), job: portableJob(job, root, moved) };
            await queue.addChunk(id, task);
            waiting.push(id);
          }
          const [oldest] = waiting;
          // One question at a time: workers take chunks in their order.
          const outcome = oldest === undefined ? undefined : await queue.takeOutcome(oldest);
          if (outcome !== undefined) {
            waiting.shift();
            if ('fault' in outcome) throw concludedFault(outcome.fault);
            const { wrong, files } = outcome.result;
            const here = files.map((file) => {
              return { ...file, path: join(folderOf(lake, file.table), basename(file.path)) };
            });
            await take(taken, { wrong, files: here });
            taken += 1;
          }
          if (noted()) note(`Workers have computed ${taken} of ${count} chunks.`);
          if (stop.aborted)
            throw new Fault('interrupted', 'Interrupted.', { advice: 'Load again.' });
          if (outcome === undefined && waiting.length > 0) await effects.sleep(LOOK_MS);
        }
      } finally {
        // Together: each of them waits for a Redis that is away.
        await Promise.all(waiting.map((id) => queue.dropChunk(id)));
        for (const path of handed.values()) await localDisk.remove(path);
      }
    },
  };
}

async function handOver(lake: Lake, job: ChunkJob, handed: Map<string, string>): Promise<void> {
  // Readers of Delta tables ignore such a name.
  const folder = join(folderOf(lake, CURATED_TABLES[0]?.name), '_handed');
  await localDisk.makeFolder(folder);
  for (const { path } of job.files) {
    if (!path.startsWith(lake.layout.stagingOf(lake.run)) || handed.has(path)) continue;
    handed.set(path, join(folder, basename(path)));
    await localDisk.publishIfAbsent(path, join(folder, basename(path)));
  }
}

/** Outputs in the folders of their tables in place of staging. */
function outputsOf(lake: Lake, { tables }: ChunkJob): [string, string][] {
  return tables.flatMap(({ name, output }) => {
    if (output === undefined) return [];
    return [[output.path, join(folderOf(lake, name), basename(output.path))]];
  });
}

function folderOf(lake: Lake, name: string | undefined): string {
  const table = CURATED_TABLES.find((table) => table.name === name);
  if (table === undefined) throw new Error(`there is no curated table ${name}`);
  return lake.curatedStorage(table.axis, table.name).folder;
}
