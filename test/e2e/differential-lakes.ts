import { endpointAt } from '../../src/catalogue/index.ts';
import type { CoverageEntry } from '../../src/coverage/coverage.ts';
import { normalise } from '../../src/coverage/ranges.ts';
import { isUnfinished } from '../../src/coverage/unfinished.ts';
import type { Effects } from '../../src/effects.ts';
import { Fault } from '../../src/fault.ts';
import { type Lake, openLake } from '../../src/land/lake.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { openJob } from '../../src/run/job/open-job.ts';
import { run } from '../../src/run/run.ts';
import { systemEffects } from '../../src/system.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { contentDigest } from '../fixtures/content-digest.ts';
import type { Specification } from '../model/specification.ts';

/** Lakes on disk, filled by runs that may be stopped, and what they hold in the end. */

/** What a lake holds, whatever its files. */
export interface LakeContent {
  /** By dataset. */
  readonly digests: Readonly<Record<string, string>>;
  readonly rows: Readonly<Record<string, number>>;
  readonly coverage: ReadonlySet<string>;
}

export async function contentOf(root: string): Promise<LakeContent> {
  return withLake(root, async (lake) => {
    const digests: Record<string, string> = {};
    const rows: Record<string, number> = {};
    for (const table of await lake.tables()) {
      const { name } = table.dataset;
      const digest = await contentDigest(table);
      digests[name] = digest.sha256;
      rows[name] = digest.rows;
    }
    return { digests, rows, coverage: await coverageIn(lake) };
  });
}

/** What is known, one line for each list, key and interval. */
export function coverageOf(root: string): Promise<ReadonlySet<string>> {
  return withLake(root, coverageIn);
}

async function withLake<T>(root: string, read: (lake: Lake) => Promise<T>): Promise<T> {
  const effects = systemEffects('warn');
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  try {
    return await read(lake);
  } finally {
    lake.close();
  }
}

/**
 * An unfinished record makes its block, or its hash, `provisional`, which depends on the head of the
 * other chain: these count as the walk that they were split off, which the chain must agree with.
 */
async function coverageIn(lake: Lake): Promise<ReadonlySet<string>> {
  const walks = new Map<string, CoverageEntry[]>();
  for (const entry of (await lake.coverage()).entries()) {
    const status = isUnfinished(entry) ? 'complete' : entry.status;
    const name = `${entry.endpoint}?${entry.variant} ${entry.key} ${status}`;
    walks.set(name, [...(walks.get(name) ?? []), { ...entry, status }]);
  }
  const lines = [...walks.values()].flatMap((entries) =>
    normalise(entries).flatMap((interval) =>
      entries.slice(0, 1).map((entry) => coverageLine({ ...entry, ...interval })),
    ),
  );
  return new Set(lines);
}

/** What belongs to a hash is the same whatever the blocks that it was asked for. */
export function coverageLine(
  entry: Pick<CoverageEntry, 'endpoint' | 'variant' | 'key' | 'from' | 'to' | 'status'>,
): string {
  const { endpoint, variant, key, from, to, status } = entry;
  const { list } = endpointAt(endpoint);
  const blocks = list === 'by-key' && key !== '' ? '' : `${from}-${to} `;
  return `${endpoint}?${variant} ${key} ${blocks}${status}`;
}

export interface RunOptions {
  readonly root: string;
  readonly url: string;
  /** Other keys than those of the specification. */
  readonly addresses?: readonly string[];
  readonly change: (pipeline: Pipeline) => Pipeline;
  readonly stops?: { readonly soft: AbortSignal; readonly hard: AbortSignal };
  readonly isHasty?: true;
}

/** How a run ended. */
export type RunEnd = 'landed' | Fault;

/** Ends a run where only what was landed counts: loading it into a warehouse takes half the time. */
class Landed extends Error {}

/** One run, in this process and over real HTTP, up to where everything is landed. */
export async function runOnce(
  of: Pick<Specification, 'text' | 'addresses' | 'tokens'>,
  options: RunOptions,
): Promise<RunEnd> {
  const { root, url, change, stops } = options;
  const parsed = parsePipeline({ text: of.text, file: 'specification.json' });
  const pipeline = change({ ...parsed, source: { ...parsed.source, url } });
  const keys = { addresses: [...(options.addresses ?? of.addresses)], tokens: [...of.tokens] };
  const effects = options.isHasty === true ? hastyEffects() : systemEffects('warn');
  const loaded = { pipeline, keys, file: 'e2e.json', resolve: (path: string) => path, notes: [] };
  const job = await openJob(loaded, root, undefined, effects, { env: process.env });
  const never = new AbortController().signal;
  const none = (): void => undefined;
  try {
    await run({
      ...job,
      pipeline,
      keys,
      effects,
      disk: localDisk,
      version: 'test',
      isLocked: true,
      softStop: stops?.soft ?? never,
      hardStop: stops?.hard ?? never,
      watch: {
        planned: none,
        found: none,
        progressed: none,
        loading: () => {
          throw new Landed();
        },
      },
    });
    throw new Error('a run ended without loading');
  } catch (error) {
    if (error instanceof Landed) return 'landed';
    if (error instanceof Fault) return error;
    throw error;
  } finally {
    await job.close('learned');
  }
}

/** The waits of a client that meets faults are no part of the test, so time passes faster. */
const HASTE = 20;

function hastyEffects(): Effects {
  const effects = systemEffects('warn');
  const startMs = effects.now();
  return {
    ...effects,
    now: () => startMs + (effects.now() - startMs) * HASTE,
    sleep: (delayMs, signal) => effects.sleep(delayMs / HASTE, signal),
  };
}
