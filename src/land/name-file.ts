import { z } from 'zod';
import { Fault } from '../fault.ts';
import { type Disk, ifThere } from './storage/disk.ts';
import { diskFault } from './storage/disk-fault.ts';

/** A JSON file in `state/` with what the CSV files of pipelines say about addresses or methods. */
export interface NameFile<V> {
  readonly path: string;
  readonly value: z.ZodType<V>;
  /** The noun for messages, as in "labels of addresses". */
  readonly noun: string;
  /** The CSV files that runs restore it from. */
  readonly origin: string;
  /** Whether the value says nothing, and so removes its entry. */
  isEmpty(value: V): boolean;
}

/** The entries of a file; none if it is absent. Throws Fault('lake') if it cannot be parsed. */
export async function readNameFile<V>(
  { path, value, noun, origin }: NameFile<V>,
  disk: Disk,
): Promise<ReadonlyMap<string, V>> {
  const text = await ifThere(disk.read(path));
  if (text === undefined) return new Map();
  const parsed = z.record(z.string(), value).safeParse(parsedJson(text));
  if (parsed.success) return new Map(Object.entries(parsed.data));
  throw new Fault('lake', `The ${noun} cannot be read.`, {
    where: path,
    advice: `Remove this file: runs write it again from ${origin}.`,
  });
}

/**
 * Merges entries into a file: a new value replaces the old one, and an empty one removes it.
 * Replaces the whole file. Throws Fault('lake') for a full or failing disk.
 */
export async function mergeNameFile<V>(
  file: NameFile<V>,
  given: ReadonlyMap<string, V>,
  disk: Disk,
): Promise<void> {
  if (given.size === 0) return;
  const known = await readNameFile(file, disk);
  const merged = [...new Map([...known, ...given])].filter(([, value]) => !file.isEmpty(value));
  const kept = merged.sort(([a], [b]) => (a < b ? -1 : 1));
  try {
    await disk.put(file.path, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
  } catch (error) {
    throw diskFault(error, file.path);
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
