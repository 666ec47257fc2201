import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Fault } from '../fault.ts';
import { type Disk, diskFault, isCode } from './storage/disk.ts';
import type { Layout } from './storage/layout.ts';

/** Labels of addresses from the `label` column of address files, stored beside the lake. */

const labelsSchema = z.record(z.string(), z.string());

/** Labels by lower-case address. Throws Fault('lake') if the file cannot be parsed. */
export async function readLabels(
  { labels: path }: Layout,
  disk: Disk,
): Promise<ReadonlyMap<string, string>> {
  let text: string;
  try {
    text = await disk.read(path);
  } catch (error) {
    if (isCode(error, 'ENOENT')) return new Map();
    throw error;
  }
  const parsed = labelsSchema.safeParse(parsedJson(text));
  if (parsed.success) return new Map(Object.entries(parsed.data));
  throw new Fault('lake', 'The labels of addresses cannot be read.', {
    where: path,
    advice: 'Remove this file: runs write it again from the column `label` of their address files.',
  });
}

/**
 * Merges labels into the stored ones: a new label replaces the old one, and '' removes it. Replaces
 * the whole file. Throws Fault('lake') for a full or failing disk.
 */
export async function keepLabels(
  layout: Layout,
  given: ReadonlyMap<string, string>,
  disk: Disk,
): Promise<void> {
  if (given.size === 0) return;
  const known = await readLabels(layout, disk);
  const kept = [...new Map([...known, ...given])].filter(([, label]) => label !== '').sort();
  const aside = `${layout.labels}.${randomUUID()}`;
  try {
    await disk.write(aside, `${JSON.stringify(Object.fromEntries(kept), undefined, 2)}\n`);
    await disk.sync(aside);
    await disk.rename(aside, layout.labels);
    await disk.syncFolder(layout.state);
  } catch (error) {
    await disk.remove(aside).catch(() => undefined);
    throw diskFault(error, layout.labels);
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
