import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import type { Source } from '../../service/src/protocol/source.ts';
import { type Listener, listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import type { ServiceSettings } from '../../service/src/settings/settings.ts';
import type { PublicNodes } from '../../service/src/stream/nodes.ts';
import { openLake } from '../../src/land/lake.ts';
import { localDisk } from '../../src/land/storage/disk.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { openJob } from '../../src/run/job/open-job.ts';
import type { LoadedPipeline } from '../../src/run/job/pipeline-file.ts';
import { price, type RunResult, run } from '../../src/run/run.ts';
import type { PricedPlan, Watch } from '../../src/run/run-job.ts';
import { systemEffects } from '../../src/system.ts';
import { CHAINS } from '../fixtures/chains.ts';
import { contentDigest } from '../fixtures/content-digest.ts';
import { pipelineHead } from '../fixtures/pipeline-head.ts';
import { whenOver } from '../fixtures/when-over.ts';
import { filesOfLog } from '../hostile/lake.ts';

/** The real service on a port, with the targets it was asked. */
export interface Served {
  readonly url: string;
  /** Targets of all requests since the last `forget`. */
  readonly targets: string[];
}

/** Serves until the test or the file is over. */
export async function serve(
  source: Source,
  settings: ServiceSettings = {},
  nodes?: PublicNodes,
): Promise<Served> {
  const effects = systemEffects('warn');
  const service = createService({ source, effects, settings, ...(nodes && { nodes }) });
  const targets: string[] = [];
  const logged = {
    ...service,
    answer: (request: Parameters<typeof service.answer>[0]) => {
      targets.push(request.target);
      return service.answer(request);
    },
  };
  const listener: Listener = await listen(logged, { effects });
  whenOver(() => listener.close());
  return { url: listener.url, targets };
}

/** The addresses that the logged requests asked for. */
export function addressesAsked(targets: readonly string[]): Set<string> {
  const addresses = new Set<string>();
  for (const target of targets) {
    const keys = new URL(target, 'http://x').searchParams.get('address') ?? '';
    for (const key of keys.split(',')) if (key !== '') addresses.add(key);
  }
  return addresses;
}

export const PIPELINE = `${pipelineHead('e2e', 0)}keys:
  addresses: { list: ["0x0000000000000000000000000000000000000000"] }
blocks: { to: head }
commit: { rows: 50000, slices: 500, seconds: 60 }
datasets:
  transactions:
    - { endpoint: mainchain/address/normal-transaction-list-multi, keys: addresses }
  internal_transactions:
    - { endpoint: mainchain/address/internal-transaction-list-multi, keys: addresses }
  token_transfers:
    - endpoint: mainchain/address/token-transaction-list
      keys: addresses
      each: { protocolType: [token_20, token_721, token_1155, token_10] }
`;

export interface ExportOptions {
  readonly url: string;
  readonly root: string;
  readonly addresses: readonly string[];
  /** The pipeline file; the small one above by default. */
  readonly text?: string;
  /** Keys of other sets than `addresses`. */
  readonly keys?: Readonly<Record<string, readonly string[]>>;
  readonly labels?: LoadedPipeline['names']['labels'];
  readonly names?: LoadedPipeline['names'];
  readonly change?: (pipeline: Pipeline) => Pipeline;
  /** Told of the plan before the first slice is fetched. */
  readonly planned?: NonNullable<Watch['planned']>;
}

/** Prices a run, after asking first pages of lists where a seed chooses them. */
export async function priceLake(options: ExportOptions, probeSeed?: string): Promise<PricedPlan> {
  const loaded = loadedOf(options);
  const effects = systemEffects('warn');
  const job = await openJob(loaded, options.root, undefined, effects, { env: process.env });
  const seed = probeSeed === undefined ? {} : { probeSeed };
  try {
    return await price({ ...job, ...seed });
  } finally {
    await job.close('nothing');
  }
}

function loadedOf(options: ExportOptions): LoadedPipeline {
  const parsed = parsePipeline({ text: options.text ?? PIPELINE, file: 'e2e.yaml' });
  const located = { ...parsed, source: { ...parsed.source, url: options.url } };
  const pipeline = options.change?.(located) ?? located;
  const keys = { addresses: [...options.addresses], ...options.keys };
  const names = { ...options.names, ...(options.labels && { labels: options.labels }) };
  const rest = { file: 'e2e.yaml', words: 'e2e.yaml', isWhole: true, calls: [], notes: [] };
  return { pipeline, keys, names, ...rest, resolve: (path) => path };
}

/** Runs the pipeline in this process, through everything but the command line. */
export async function exportLake(options: ExportOptions): Promise<RunResult> {
  const loaded = loadedOf(options);
  const effects = systemEffects('warn');
  const job = await openJob(loaded, options.root, undefined, effects, { env: process.env });
  const never = new AbortController().signal;
  try {
    return await run({ ...job, softStop: never, hardStop: never, watches: [options] });
  } finally {
    await job.close('learned');
  }
}

/** Content digests of all tables under a data root, by dataset. */
export async function digestsOf(root: string): Promise<Record<string, string>> {
  const effects = systemEffects('warn');
  const lake = await openLake({ root, chains: CHAINS, run: 'test', effects, disk: localDisk });
  try {
    const digests: Record<string, string> = {};
    for (const table of await lake.tables()) {
      digests[table.dataset.name] = (await contentDigest(table)).sha256;
    }
    return digests;
  } finally {
    lake.close();
  }
}

/** Raw tables are in `lake`, curated tables in `curated`. */
type Layer = 'lake' | 'curated';

/** The active files of a Delta table, by a reading of its log that shares nothing with ours. */
export async function activeFiles(
  root: string,
  dataset: string,
  chain = 'MAINCHAIN',
  layer: Layer = 'lake',
): Promise<string[]> {
  return filesOfLog(join(root, layer, chain, dataset));
}

/** Rows straight from the files that the log names: no view, no DISTINCT. */
export async function rowsOf(
  root: string,
  dataset: string,
  select: string,
  chain = 'MAINCHAIN',
  layer: Layer = 'lake',
): Promise<Record<string, unknown>[]> {
  const files = await activeFiles(root, dataset, chain, layer);
  if (files.length === 0) return [];
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  const list = files.map((file) => `'${file}'`).join(', ');
  const result = await connection.runAndReadAll(
    `SELECT ${select} FROM read_parquet([${list}], union_by_name = true)`,
  );
  const rows = result.getRowObjectsJson();
  connection.closeSync();
  instance.closeSync();
  return rows;
}

/** Rows as sorted texts; numbers with the digits that a sum of doubles has. */
export function comparable(rows: readonly (readonly unknown[])[]): string[] {
  const shown = (cell: unknown): unknown =>
    typeof cell === 'number' ? Number(cell.toPrecision(10)) : (cell ?? null);
  return rows.map((row) => JSON.stringify(row.map(shown))).sort();
}
