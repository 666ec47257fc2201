import { createReadStream } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { createGunzip } from 'node:zlib';
import type { Axis, Dataset } from '../../../src/catalogue/entry.ts';
import { datasets } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { Fault } from '../../../src/fault.ts';
import type { ChainNames, Found, Query, Source } from '../protocol/source.ts';
import { DEFAULT_NAMES } from '../protocol/source.ts';
import { pageIn, type RecordIndex, recordIndex } from './record-index.ts';
import { isSnapshot, snapshotIndex } from './snapshots.ts';
import { recordReader } from './wire-reader.ts';

/** Records by the name of their dataset, in any order of heights. */
export type Tables = ReadonlyMap<string, readonly CanonicalRecord[]>;

/**
 * Answers from records in memory. Records of one height keep their input order. Of several
 * rankings, the newest one is served. The chain's name comes from its first block, or is the
 * default name.
 */
export function tablesSource(tables: Tables): Source {
  const indexes = new Map<string, RecordIndex>();
  const heads: Record<Axis, number> = { primary: -1, zone: -1 };
  const names: Record<Axis, ChainNames> = { ...DEFAULT_NAMES };
  for (const dataset of datasets) {
    const { name, axis } = dataset;
    const records = tables.get(name) ?? [];
    names[axis] = namesIn(records[0]) ?? names[axis];
    if (isSnapshot(dataset)) {
      indexes.set(name, snapshotIndex(name, records));
      continue;
    }
    const index = recordIndex(name, inOrder(dataset, records));
    indexes.set(name, index);
    heads[axis] = Math.max(heads[axis], index.newest);
  }
  const find = (query: Query): Found => {
    const index = indexes.get(query.dataset);
    return index === undefined ? { total: 0, records: [] } : pageIn(index, query);
  };
  return {
    names,
    head: (axis) => heads[axis],
    find,
    newest: (selection) => find({ ...selection, offset: 0, count: 1 }).records[0],
  };
}

function inOrder(
  { heightColumn }: Dataset,
  records: readonly CanonicalRecord[],
): readonly CanonicalRecord[] {
  return records.toSorted((a, b) => Number(a[heightColumn]) - Number(b[heightColumn]));
}

function namesIn(record: CanonicalRecord | undefined): ChainNames | undefined {
  const shortName = record?.['chain_short_name'];
  const fullName = record?.['chain_full_name'];
  if (typeof shortName !== 'string' || typeof fullName !== 'string') return undefined;
  return { shortName, fullName };
}

const EXTENSIONS = ['.ndjson', '.ndjson.gz'];

/**
 * Answers from the NDJSON files of a directory: `<dataset>.ndjson` or `<dataset>.ndjson.gz`, one
 * record per line with the interface's field names. All files are read into memory.
 *
 * Unknown names are ignored; so are, by convention, all names that begin with `_`. Throws a
 * Fault('configuration'), with file and line, for a directory without such a file, a dataset in two
 * files, and a line that breaks its contract.
 */
export async function recordsSource(directory: string): Promise<Source> {
  const tables = new Map<string, CanonicalRecord[]>();
  for (const [name, file] of await recordFiles(directory)) {
    tables.set(name, await recordsIn(join(directory, file), name));
  }
  return tablesSource(tables);
}

/**
 * The files of a directory by the names of their datasets. Throws the errors of `recordsSource`.
 */
export async function recordFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  const names = new Set(await filesIn(directory));
  const filesByDataset = new Map<string, string>();
  for (const { name } of datasets) {
    const files = EXTENSIONS.map((extension) => name + extension).filter((file) => names.has(file));
    const [file] = files;
    if (file === undefined) continue;
    if (files.length > 1) {
      throw new Fault('configuration', `Two files hold ${name}.`, {
        where: directory,
        advice: `Keep one of ${files.join(' and ')}.`,
      });
    }
    filesByDataset.set(name, file);
  }
  if (filesByDataset.size === 0) {
    throw new Fault('configuration', 'No records were found.', {
      where: directory,
      advice: `Put files such as ${datasets[0]?.name}.ndjson there, or name another directory.`,
    });
  }
  return filesByDataset;
}

async function filesIn(directory: string): Promise<string[]> {
  try {
    return await readdir(directory);
  } catch (cause) {
    throw new Fault('configuration', 'The directory of records cannot be read.', {
      where: directory,
      advice: 'Name a directory that exists and that you may read.',
      cause,
    });
  }
}

async function recordsIn(file: string, dataset: string): Promise<CanonicalRecord[]> {
  const read = recordReader(dataset);
  const records: CanonicalRecord[] = [];
  let line = 0;
  try {
    for await (const text of linesOf(file)) {
      line += 1;
      if (text.trim() !== '') records.push(read(text));
    }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new Fault('configuration', `${reason}.`, {
      where: line === 0 ? file : `${file}:${line}`,
      advice: 'Correct the line, or remove the file.',
      cause,
    });
  }
  return records;
}

async function* linesOf(file: string): AsyncGenerator<string> {
  const bytes = createReadStream(file);
  const plain = file.endsWith('.gz') ? bytes.pipe(createGunzip()) : bytes;
  // Without this, the decompressor of an unreadable file would wait for ever.
  bytes.on('error', (error) => plain.destroy(error));
  yield* createInterface({ input: plain, crlfDelay: Number.POSITIVE_INFINITY });
}
