import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { Fault } from '../fault.ts';
import { type Disk, diskFault, isCode } from './storage/disk.ts';
import type { Layout } from './storage/layout.ts';

/** The labels of addresses that people give in their files of keys, kept beside the lake. */

const labelsSchema = z.record(z.string(), z.string());

/** Labels by address, in lower case; none before a run keeps any. Fault('lake') for other text. */
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
 * Adds labels to those that are kept: a new label replaces the old one, and '' takes it away. The
 * file is replaced whole. Fault('lake') for what the disk refuses.
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
