import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type Connection, connect } from '../../../src/fetch/connect.ts';
import { fetchSlice } from '../../../src/fetch/fetch-slice.ts';
import type {
  HttpResponse,
  HttpSource,
  Transport,
} from '../../../src/fetch/transport/transport.ts';
import { Committer } from '../../../src/land/committer.ts';
import { openLake } from '../../../src/land/lake.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { systemEffects } from '../../../src/system.ts';
import { PIPELINE } from '../../e2e/harness.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { type Copies, headOf, slicesOf } from './copies.ts';

/** Above the length of every list. */
const RECORD_CAP = 1e9;
const PAGE_SIZE = 100;
const LIMITS = { rows: 50_000, slices: 500, seconds: 600 };

const effects = systemEffects('warn');
const source = parsePipeline({ text: PIPELINE, file: 'landing.yaml' }).source;

export function connected(transport: HttpSource): Connection {
  const rate = { startPerSecond: 1e6, maxPerSecond: 1e6 };
  const at = { ...source, rate, concurrency: 16, recordCap: RECORD_CAP };
  return connect(at, undefined, undefined, effects, { transport });
}

/** A transport without a network. */
export function answering(answer: (target: string) => Promise<HttpResponse>): HttpSource {
  const send: Transport = ({ target }) => answer(target);
  return { send, basePath: '', close: () => Promise.resolve() };
}

export interface Landing {
  readonly copies: Copies;
  readonly connection: Connection;
  /** The folder that the lake is made in. */
  readonly scratch: string;
}

/**
 * Walks all slices, one after the other so that every run sends the same requests, and commits their
 * parts. Returns the number of rows.
 */
export async function land(landing: Landing): Promise<number> {
  const { copies, connection, scratch } = landing;
  const { caller, facts } = connection;
  const slices = slicesOf(copies);
  const root = await mkdtemp(join(scratch, 'lake-'));
  const lake = await openLake({ root, chains: CHAINS, run: 'bench', effects, disk: localDisk });
  const committer = new Committer({ lake, limits: LIMITS, effects, run: 'bench' });
  const common = { chain: source.chain, recordCap: RECORD_CAP, proof: 'standard' } as const;
  const largest = slices[0]?.list.entry.limits.pageSize?.max ?? PAGE_SIZE;
  const settings = { ...common, pageSize: Math.min(largest, PAGE_SIZE), facts };
  for (const slice of slices) {
    for await (const part of fetchSlice(caller, slice, settings)) {
      if (part.status !== 'complete') throw new Error(`${part.status}: ${part.reason}`);
      await committer.add({ ...part, head: headOf(copies), generation: 0 });
    }
  }
  await committer.flush();
  lake.close();
  await rm(root, { recursive: true });
  return committer.counts().rowsFetched;
}
