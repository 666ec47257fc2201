import { dirname, resolve } from 'node:path';
import type { Axis } from '../../catalogue/entry.ts';
import { shellQuoted } from '../../fault.ts';
import type { Names } from '../../land/names.ts';
import { packageFile } from '../../land/storage/package-file.ts';
import { type AddressList, parseAddressList } from '../../pipeline/csv/address-list.ts';
import type { ContractCall } from '../../pipeline/csv/calls-file.ts';
import type { TextFile } from '../../pipeline/csv/csv-lines.ts';
import { type CsvNames, parseMethodNames, parseTokenNames } from '../../pipeline/csv/name-files.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { parsePipeline } from '../../pipeline/read-pipeline.ts';
import { LEAST_REQUESTS, MOST_REQUESTS, type RunLimits } from '../../pipeline/run-limits.ts';
import { parseBlocks } from '../../pipeline/syntax/block-range.ts';
import { parseDuration } from '../../pipeline/syntax/duration.ts';
import { wholeNumber } from '../../pipeline/syntax/fields.ts';
import { parseSourceUrl } from '../../pipeline/syntax/source-url.ts';
import type { PIPELINE_TYPES } from './option-types.ts';
import { readText, type WantedText } from './text-file.ts';

/** Options of the command line that override parts of a pipeline. */
export type Overrides = { readonly [Name in keyof typeof PIPELINE_TYPES]?: string | undefined };

export interface LoadedPipeline {
  readonly pipeline: Pipeline;
  readonly keys: Readonly<Record<string, readonly string[]>>;
  /**
   * Labels, from the column `label` of the address files: '' removes one. Names of tokens and
   * methods, from the CSV files that the pipeline names.
   */
  readonly names: Names;
  /** Contract calls of the pending state. */
  readonly calls: readonly ContractCall[];
  /** The path as it was given. */
  readonly file: string;
  /** The words of a shell that name it again: its path, and options for its source and keys. */
  readonly words: string;
  /** Whether its ranges end at the last final block, as those of scheduled runs do. */
  readonly isWhole: boolean;
  /** Resolves a path of the pipeline, which is relative to the pipeline file. */
  resolve(path: string): string;
  /** Notes for the reader that do not stop the command. */
  readonly notes: readonly string[];
}

const PIPELINE_FILE = {
  noun: 'pipeline',
  advice:
    'Give the path of a pipeline file: windrow init FOLDER writes one, and those of the package ' +
    `are in ${packageFile('pipelines/')}.`,
  name: /\.ya?ml$/,
};

const NAMES_FILE = {
  noun: 'list of names',
  advice: 'Name a CSV file under `names` in the pipeline.',
  name: /\.csv$/,
};

const CALLS_FILE = {
  noun: 'list of contract calls',
  advice: 'Name a CSV file behind calls: under pending.reads in the pipeline.',
  name: /\.csv$/,
};

const ADDRESS_FILE = {
  noun: 'address list',
  advice: 'Name a CSV file of addresses, in the pipeline or with --addresses.',
  name: /\.csv$/,
};

/** Reads a pipeline without the files that it names. Throws Fault('configuration'). */
export async function readPipeline(file: string): Promise<Pipeline> {
  return parsePipeline({ text: await readText(file, PIPELINE_FILE), file });
}

/**
 * Reads a pipeline and its key sets. Throws Fault('configuration') or Fault('usage'). `read` reads
 * the text of a file; default: from the disk.
 */
export async function loadPipeline(
  file: string,
  overrides: Overrides,
  read: typeof readText = readText,
): Promise<LoadedPipeline> {
  const text = await read(file, PIPELINE_FILE);
  const parsed = parsePipeline({ text, file });
  const { blocks, zoneBlocks, addresses } = overrides;
  const notes = [
    ...(blocks === undefined ? [] : withoutEffect(parsed, 'primary', '--blocks')),
    ...(zoneBlocks === undefined ? [] : withoutEffect(parsed, 'zone', '--zone-blocks')),
  ];
  // Several key sets may be read from one file.
  const note = (more: readonly string[]): void => {
    for (const line of more) if (!notes.includes(line)) notes.push(line);
  };
  const pipeline = overridden(parsed, overrides);
  const folder = dirname(resolve(file));
  const inFolder = (path: string): string => resolve(folder, path);
  const textOf = async (path: string, wanted: WantedText): Promise<TextFile> => {
    return { text: await read(path, wanted), file: path };
  };
  const namesIn = async <V>(
    path: string | undefined,
    parse: (csv: TextFile) => CsvNames<V>,
  ): Promise<ReadonlyMap<string, V>> => {
    if (path === undefined) return new Map();
    const { names, warnings } = parse(await textOf(inFolder(path), NAMES_FILE));
    notes.push(...warnings);
    return names;
  };
  const keys: Record<string, readonly string[]> = {};
  const labels = new Map<string, string>();
  for (const [name, set] of Object.entries(pipeline.keySets)) {
    if (set.kind === 'found') continue;
    // `--addresses` replaces all key sets.
    const path = addresses ?? (set.kind === 'file' ? inFolder(set.file) : undefined);
    const csv = path === undefined ? { text, file } : await textOf(path, ADDRESS_FILE);
    const list = set.kind === 'list' && path === undefined ? set : parseAddressList(csv);
    note(addressNotes(list, csv));
    keys[name] = list.addresses;
    if ('labels' in list) for (const [key, label] of list.labels) labels.set(key, label);
  }
  const { tokens, methods } = pipeline.names;
  const names: Names = {
    labels,
    tokens: await namesIn(tokens, parseTokenNames),
    methods: await namesIn(methods, parseMethodNames),
  };
  const callsFile = pipeline.pending?.callsFile;
  const calls = callsFile === undefined ? [] : await callsIn(inFolder(callsFile), textOf);
  const words = wordsFor(file, overrides);
  const isWhole = [blocks, zoneBlocks].every((range) => range?.endsWith(':') !== false);
  return { pipeline, keys, names, calls, file, words, isWhole, resolve: inFolder, notes };
}

async function callsIn(
  path: string,
  textOf: (path: string, wanted: WantedText) => Promise<TextFile>,
): Promise<ContractCall[]> {
  // Its package is large, and few pipelines need it.
  const { parseCalls } = await import('../../pipeline/csv/calls-file.ts');
  return parseCalls(await textOf(path, CALLS_FILE));
}

function wordsFor(file: string, { sourceUrl, addresses }: Overrides): string {
  const url = sourceUrl === undefined ? '' : ` --source-url ${shellQuoted(sourceUrl)}`;
  const keys = addresses === undefined ? '' : ` --addresses ${shellQuoted(addresses)}`;
  return shellQuoted(file) + url + keys;
}

function overridden(
  { source, ...parsed }: Pipeline,
  { sourceUrl, blocks, zoneBlocks, maxWait, stopWithin, maxRequests, for: time }: Overrides,
): Pipeline {
  const limits: { -readonly [Name in keyof RunLimits]: RunLimits[Name] } = { ...parsed.limits };
  if (maxWait !== undefined) limits.maxWaitMs = parseDuration(maxWait, '--max-wait');
  if (stopWithin !== undefined) limits.stopWithinMs = parseDuration(stopWithin, '--stop-within');
  if (time !== undefined) limits.forMs = parseDuration(time, '--for');
  if (maxRequests !== undefined) {
    const bounds = [LEAST_REQUESTS, MOST_REQUESTS] as const;
    limits.maxRequests = wholeNumber('--max-requests', maxRequests, ...bounds);
  }
  return {
    ...parsed,
    limits,
    ...(blocks === undefined ? {} : { blocks: parseBlocks(blocks) }),
    ...(zoneBlocks === undefined ? {} : { zoneBlocks: parseBlocks(zoneBlocks, '--zone-blocks') }),
    source: sourceUrl === undefined ? source : { ...source, url: parseSourceUrl(sourceUrl) },
  };
}

/** A note for a range of an axis that the pipeline does not use. */
function withoutEffect({ requests }: Pipeline, axis: Axis, option: string): string[] {
  if (requests.some(({ entry }) => entry.axis === axis)) return [];
  return [`${option} has no effect: the pipeline requests no list of the ${axis} chain.`];
}

/** Misspelled addresses that are listed. */
const NAMED_ADDRESSES = 10;

/** Notes about wrong checksums and duplicates in an address file. */
export function addressNotes(
  { duplicates, misspelled }: AddressList,
  { text, file }: { readonly text: string; readonly file: string },
): string[] {
  const lines = text.split(/\r\n|\n|\r/);
  const notes = misspelled.slice(0, NAMED_ADDRESSES).map(({ text: address, right }) => {
    const line = lines.findIndex((row) => row.includes(address)) + 1;
    const place = `${file}:${line}`;
    const finding = `the EIP-55 checksum of ${address} is wrong (expected ${right})`;
    return `${place}: ${finding}. Is a digit mistyped?`;
  });
  const more = misspelled.length - notes.length;
  const have = more === 1 ? 'address has' : 'addresses have';
  if (more > 0)
    notes.push(`${file}: ${more.toLocaleString('en-US')} more ${have} a wrong checksum.`);
  const noun = duplicates === 1 ? 'address' : 'addresses';
  if (duplicates > 0)
    notes.push(`${file}: ${duplicates.toLocaleString('en-US')} duplicate ${noun} ignored.`);
  return notes;
}
