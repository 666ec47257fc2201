import { cp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Source } from '../../service/src/protocol/source.ts';
import { parsePipeline } from '../../src/pipeline/read-pipeline.ts';
import { openJob } from '../../src/run/job/open-job.ts';
import { type Repair, repair } from '../../src/run/repair.ts';
import { systemEffects } from '../../src/system.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { type ExportOptions, exportLake, PIPELINE, type Served, serve } from './harness.ts';

/** The small pipeline, asked to the safe height in groups of two, with a commit for each slice. */
export const MANY_COMMITS = PIPELINE.replace('slices: 500', 'slices: 1').replace(
  'blocks: { to: head }',
  'blocks: { to: safe }\ngroupSize: 2',
);

/** The text of a pipeline file that asks for these addresses. */
export function askingFor(addresses: readonly string[], text: string): string {
  return text.replace(/list: \[.*\]/, `list: ${JSON.stringify(addresses)}`);
}

/** A lake that was exported once from a service of its own; each test damages a copy. */
export interface ExportedLake {
  readonly served: Served;
  /** The data root, which stays as it is. */
  readonly original: string;
  /** A file with the pipeline, for the command line. */
  readonly pipeline: string;
  /** The data root of a copy. What the service was asked before is forgotten. */
  copy(template?: string): Promise<string>;
}

export async function exportedLake(
  source: Source,
  addresses: readonly string[],
  text: string,
): Promise<ExportedLake> {
  const served = await serve(source);
  const root = await freshFolder();
  const original = join(root, 'data');
  await exportLake({ url: served.url, root: original, addresses, text });
  const pipeline = join(root, 'exported.yaml');
  await writeFile(pipeline, askingFor(addresses, text));
  return {
    served,
    original,
    pipeline,
    async copy(template = original) {
      const data = join(await freshFolder(), 'data');
      await cp(template, data, { recursive: true });
      served.targets.length = 0;
      return data;
    },
  };
}

/** Repairs a lake in this process, through everything but the command line. */
export async function repairLake(options: ExportOptions): Promise<Repair> {
  const parsed = parsePipeline({ text: options.text ?? PIPELINE, file: 'e2e.yaml' });
  const located = { ...parsed, source: { ...parsed.source, url: options.url } };
  const pipeline = options.change?.(located) ?? located;
  const keys = { addresses: [...options.addresses], ...options.keys };
  const effects = systemEffects('warn');
  const loaded = { pipeline, keys, file: '', resolve: (path: string) => path, notes: [] };
  const job = await openJob(loaded, options.root, undefined, effects, { env: process.env });
  const never = new AbortController().signal;
  try {
    return await repair({ ...job, softStop: never, hardStop: never });
  } finally {
    await job.close('nothing');
  }
}
