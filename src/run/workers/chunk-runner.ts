import { randomUUID } from 'node:crypto';
import { basename, dirname, join } from 'node:path';
import {
  type ChunkFile,
  type ChunkJob,
  type ChunkResult,
  computeChunk,
} from '../../curate/chunk-job.ts';
import { CHUNKS_PER_SESSION } from '../../curate/chunk-sessions.ts';
import { RangeSession } from '../../curate/rule/range-session.ts';
import { Fault } from '../../fault.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { type Layout, layout } from '../../land/storage/layout.ts';
import { memoryLimitBytes } from '../../land/storage/memory-limit.ts';
import { literal } from '../../land/storage/sql-text.ts';
import { lockDown } from '../../load/query/open-warehouse.ts';
import { windrowVersion } from '../job/version.ts';
import type { ChunkOutcome, ChunkTask } from '../queue/job-queue.ts';
import { faultIn } from './faults.ts';
import { localJob } from './job-paths.ts';

/** Unfinished files of a worker are those of a load. */
const RUN = 'load';

/** Computes chunks of loads, one after another, and publishes their files. */
export class ChunkRunner {
  readonly #layout: Layout;
  readonly #worker: string;
  readonly #counts: { chunks: number };
  /** The session that has executed the first steps of a load, and the number of its chunks. */
  #begun: { session: RangeSession; begin: ChunkJob['begin']; chunks: number } | undefined;

  constructor(root: string, worker: string, counts: { chunks: number }) {
    this.#layout = layout(root);
    this.#worker = worker;
    this.#counts = counts;
  }

  /** Faults end the load. Other errors are thrown: another worker may have more memory. */
  async compute({ version, job }: ChunkTask): Promise<ChunkOutcome> {
    try {
      if (version !== windrowVersion()) throw this.#otherVersion(version);
      const result = await this.#computed(localJob(job, this.#layout.root));
      this.#counts.chunks += 1;
      return { result };
    } catch (error) {
      if (error instanceof Fault) return { fault: faultIn(error) };
      this.close();
      throw error;
    }
  }

  close(): void {
    this.#begun?.session.close();
    this.#begun = undefined;
  }

  async #computed(job: ChunkJob): Promise<ChunkResult> {
    await this.#fetch(job);
    const { session, begin } = await this.#begin(job);
    const staging = this.#layout.stagingOf(RUN);
    await localDisk.makeFolder(staging);
    // Each execution has files of its own: one that was given up may still write.
    const folders = new Map<string, string>();
    const tables = job.tables.map(({ output, ...table }) => {
      if (output === undefined) return table;
      const path = join(staging, `part-${randomUUID()}.parquet`);
      folders.set(path, dirname(output.path));
      const copy = output.copy.replaceAll(literal(output.path), literal(path));
      return { ...table, output: { path, copy } };
    });
    const { wrong, files } = await computeChunk(session, { ...job, begin, tables });
    const published: ChunkFile[] = [];
    for (const file of files) {
      const path = join(folders.get(file.path) ?? staging, basename(file.path));
      await localDisk.makeFolder(dirname(path));
      await localDisk.publish([file.path, path]);
      published.push({ ...file, path: basename(path) });
    }
    return { wrong, files: published };
  }

  /** Throws Fault('lake') for a file that is absent here, or that is another one. */
  async #fetch({ files }: ChunkJob): Promise<void> {
    await localDisk.fetch(files.map(({ path }) => path));
    for (const { path, bytes } of files) {
      const facts = await localDisk.stat(path);
      if (facts !== undefined && facts.bytes === (bytes ?? facts.bytes)) continue;
      throw new Fault('lake', `The worker ${this.#worker} lacks a file of the load.`, {
        where: path,
        advice: 'Give the load and all workers the same data root (--data), and load again.',
      });
    }
  }

  async #begin({ begin }: ChunkJob) {
    const isBegun = JSON.stringify(this.#begun?.begin) === JSON.stringify(begin);
    if (!isBegun || this.#begun?.chunks === CHUNKS_PER_SESSION) this.close();
    if (this.#begun === undefined) {
      const options = { spilledTo: this.#layout.spilledOf(RUN), memoryBytes: memoryLimitBytes() };
      this.#begun = { session: await RangeSession.open(options), begin, chunks: 0 };
      await lockDown(this.#begun.session.connection, this.#layout.root);
    }
    this.#begun.chunks += 1;
    return this.#begun;
  }

  #otherVersion(version: string): Fault {
    const mine = `The worker ${this.#worker} has windrow ${windrowVersion()}`;
    return new Fault('configuration', `${mine}, and the load was planned by ${version}.`, {
      advice: 'Use the same version of windrow on all hosts, and load again.',
    });
  }
}
