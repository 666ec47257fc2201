import { type Interval, normalise } from '../coverage/ranges.ts';
import type { Snapshot } from '../land/delta/fold.ts';
import type { StorageSettings } from '../land/delta/stored-table.ts';
import { type ChunkEngine, type ChunkJob, type ChunkResult, computeChunk } from './chunk-job.ts';
import type { ChunkPlanner } from './chunk-planner.ts';
import type { ChunkSessions } from './chunk-sessions.ts';
import type { CuratedTable } from './curated-tables.ts';
import { heightsApart } from './heights-apart.ts';
import { type Contradiction, contradictionsIn, type WrongRow } from './rule/contradictions.ts';
import { TableWriter } from './table-writer.ts';

export interface ChunksToWrite {
  readonly planner: ChunkPlanner;
  readonly sessions: ChunkSessions;
  /** Computes the chunks in place of the sessions. */
  readonly engine: ChunkEngine | undefined;
  /** The heights to be computed, and whether these are all. */
  readonly dirty: readonly Interval[];
  readonly isFull: boolean;
  /** The tables to be written, with the versions that the new ones follow. */
  readonly snapshots: ReadonlyMap<CuratedTable, Snapshot>;
  settingsOf(table: CuratedTable): StorageSettings;
}

export interface WrittenChunks {
  readonly writers: readonly TableWriter[];
  readonly contradictions: readonly Contradiction[];
  /** Heights that were compared and computed. */
  readonly dirty: readonly Interval[];
}

/** Computes heights chunk by chunk, and writes their files into staging. */
export async function writeChunks(work: ChunksToWrite): Promise<WrittenChunks> {
  const { planner, sessions, dirty, isFull, snapshots } = work;
  const { range } = planner;
  const shapes = await planner.shapes();
  const isLarge = planner.rowsIn(dirty) >= (work.engine?.leastRows ?? 0);
  const engine = isLarge ? work.engine : undefined;
  // Beginning a session has a cost, which a few changed heights are not worth.
  const chunks = planner.chunks(dirty, isFull ? sessions.most : 1);
  const writers = new Map(
    [...snapshots].map(([table, snapshot]) => {
      const settings = work.settingsOf(table);
      const shape = shapes.get(table);
      const writer = new TableWriter({ table, shape, settings, snapshot, chunks, isFull });
      return [table.name, writer];
    }),
  );
  const wrong = new Map<string, WrongRow>();
  const keep = (rows: readonly WrongRow[]): void => {
    for (const row of rows) wrong.set(row.slice(0, -1).join(), row);
  };
  const apart = await heightsApart(range, dirty, isFull);
  if (apart.length > 0) {
    keep((await computeChunk(range.session, await planner.job(apart, []))).wrong);
  }
  const hasOutputs = isFull || engine !== undefined;
  async function* jobs(): AsyncGenerator<ChunkJob, void, void> {
    for (const chunk of chunks) {
      // Otherwise the tables are computed again, without the coverage that is withdrawn.
      const tables = wrong.size > 0 ? [] : [...writers.values()].map(({ table }) => table);
      yield await planner.job(chunk, tables, ({ name, relation }) => {
        return hasOutputs ? writers.get(name)?.output(relation) : undefined;
      });
    }
  }
  const take = async (heights: readonly Interval[], result: ChunkResult): Promise<void> => {
    keep(result.wrong);
    if (wrong.size > 0) return;
    for (const file of result.files) {
      await writers.get(file.table)?.take(heights, file, range.session.connection);
    }
  };
  const all = { jobs: jobs(), count: chunks.length };
  if (engine !== undefined) {
    await engine.compute(all, (place, result) => take(chunks[place] ?? [], result));
  } else {
    await sessions.forEach({ ...all, first: range.session }, async (job, session) => {
      const result = await computeChunk(session, job, async ({ name, relation }) => {
        if (hasOutputs || wrong.size > 0) return;
        await writers.get(name)?.write(job.heights, session.connection, relation);
      });
      await take(job.heights, result);
    });
  }
  const compared = normalise([...dirty, ...apart]);
  const contradictions = contradictionsIn(range.lists, [...wrong.values()]);
  return { writers: [...writers.values()], contradictions, dirty: compared };
}
