import { readFile } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import type { Axis } from '../../catalogue/entry.ts';
import { parseAddressList } from '../../config/address-list.ts';
import { parseDuration } from '../../config/duration.ts';
import { parseSourceUrl } from '../../config/source-url.ts';
import { Fault } from '../../fault.ts';
import { isCode } from '../../land/storage/disk.ts';
import { parseBlocks } from '../../pipeline/block-range.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { parsePipeline } from '../../pipeline/read-pipeline.ts';
import { addressNotes } from '../terminal/address-notes.ts';

/** What the command line may say in the pipeline's place. */
export interface Overrides {
  readonly sourceUrl?: string | undefined;
  readonly addresses?: string | undefined;
  readonly blocks?: string | undefined;
  readonly zoneBlocks?: string | undefined;
  readonly maxWait?: string | undefined;
}

export interface LoadedPipeline {
  readonly pipeline: Pipeline;
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /** What the files of keys say of addresses in their column `label`; '' takes a label away. */
  readonly labels: ReadonlyMap<string, string>;
  /** As it was given. */
  readonly file: string;
  /** The longest wait that is accepted when the service asks for one; absent: the default. */
  readonly maxWaitMs?: number;
  /** A path in the pipeline, which is relative to its file. */
  resolve(path: string): string;
  /** What the reader should know and may ignore. */
  readonly notes: readonly string[];
}

/** Reads a pipeline and its key sets. Throws Fault('configuration') or Fault('usage'). */
export async function loadPipeline(file: string, overrides: Overrides): Promise<LoadedPipeline> {
  const text = await readText(file, 'pipeline', 'Give the path of a pipeline file.');
  const parsed = parsePipeline({ text, file });
  const { sourceUrl, blocks, zoneBlocks, maxWait } = overrides;
  const notes = [
    ...(blocks === undefined ? [] : withoutEffect(parsed, 'primary', '--blocks')),
    ...(zoneBlocks === undefined ? [] : withoutEffect(parsed, 'zone', '--zone-blocks')),
  ];
  const pipeline: Pipeline = {
    ...parsed,
    ...(blocks === undefined ? {} : { blocks: parseBlocks(blocks) }),
    ...(zoneBlocks === undefined ? {} : { zoneBlocks: parseBlocks(zoneBlocks, '--zone-blocks') }),
    ...(sourceUrl === undefined
      ? {}
      : { source: { ...parsed.source, url: parseSourceUrl(sourceUrl) } }),
  };
  const folder = dirname(resolve(file));
  const inFolder = (path: string): string => resolve(folder, path);
  const of = { pipeline, text, file };
  const read = await readKeys(of, overrides.addresses, inFolder, notes);
  const loaded = { pipeline, ...read, file, resolve: inFolder, notes };
  if (maxWait === undefined) return loaded;
  return { ...loaded, maxWaitMs: parseDuration(maxWait, '--max-wait') };
}

/** A range of an axis that nothing in the pipeline lies on. */
function withoutEffect({ requests }: Pipeline, axis: Axis, option: string): string[] {
  if (requests.some(({ entry }) => entry.axis === axis)) return [];
  return [`${option} has no effect: nothing in the pipeline lies on the ${axis} axis.`];
}

/** `--addresses` stands in for every key set of the pipeline. */
async function readKeys(
  of: { readonly pipeline: Pipeline; readonly text: string; readonly file: string },
  addressesFile: string | undefined,
  inFolder: (path: string) => string,
  notes: string[],
): Promise<Pick<LoadedPipeline, 'keys' | 'labels'>> {
  const keys: Record<string, readonly string[]> = {};
  // Several key sets may be read from one file.
  const note = (more: readonly string[]): void => {
    for (const each of more) if (!notes.includes(each)) notes.push(each);
  };
  const labels = new Map<string, string>();
  for (const [name, set] of Object.entries(of.pipeline.keySets)) {
    if (set.kind === 'found') continue;
    const file = addressesFile ?? (set.kind === 'file' ? inFolder(set.file) : undefined);
    if (file === undefined) {
      if (set.kind !== 'list') continue;
      note(addressNotes(set, of));
      keys[name] = set.addresses;
      continue;
    }
    const advice = 'Name a CSV file of addresses, in the pipeline or with --addresses.';
    const text = await readText(file, 'address list', advice);
    const list = parseAddressList({ text, file });
    note(addressNotes(list, { text, file }));
    keys[name] = list.addresses;
    for (const [address, label] of list.labels) labels.set(address, label);
  }
  return { keys, labels };
}

async function readText(file: string, what: string, advice: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const isAbsent = isCode(error, 'ENOENT') || isCode(error, 'EISDIR');
    if (!isAbsent && !isCode(error, 'EACCES')) throw error;
    throw new Fault('configuration', `The ${what} cannot be read.`, {
      where: file,
      advice,
      cause: error,
    });
  }
}
