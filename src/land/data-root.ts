import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { Fault } from '../fault.ts';
import { jsonIn } from '../json-in.ts';
import { type Disk, ifThere } from './storage/disk.ts';
import { type Layout, layout } from './storage/layout.ts';

/** Layout of the data root; tables have one of their own. */
const ROOT_LAYOUT = '1';
const MARKER = 'root.json';
const markerSchema = z.object({
  layout: z.string(),
  windrow: z.string(),
  /** Other layouts may have none. */
  id: z.string().default(''),
});

/**
 * Writes the layout version to a new data root, before any other file. Throws Fault('lake') for a
 * place that would lose commits: a second file must not take the name of the first one.
 */
export async function markRoot(root: string, version: string, disk: Disk): Promise<void> {
  const paths = layout(root);
  if ((await disk.stat(markerOf(paths))) !== undefined) return;
  await disk.makeFolder(paths.state);
  if ((await racesWon(paths, disk, 2)) !== 1) throw losesCommits(root);
  const marker = `${JSON.stringify({ layout: ROOT_LAYOUT, windrow: version, id: randomUUID() })}\n`;
  await published(markerOf(paths), marker, disk);
}

/** The id of a data root, the same on all machines. Marks a new root. */
export async function idOfRoot(root: string, version: string, disk: Disk): Promise<string> {
  await markRoot(root, version, disk);
  return markerSchema.parse(jsonIn(await disk.read(markerOf(layout(root))))).id;
}

/** Publishes this many files under one name, in turn or at once; returns how many were taken. */
export async function racesWon(
  paths: Layout,
  disk: Disk,
  files: number,
  order: 'in turn' | 'at once' = 'in turn',
): Promise<number> {
  const probe = join(paths.state, `lock.probe-${randomUUID()}`);
  const race = (number: number): Promise<boolean> => published(probe, `${number}\n`, disk);
  const numbers = Array.from({ length: files }, (_, number) => number);
  const won: boolean[] = [];
  try {
    if (order === 'at once') won.push(...(await Promise.all(numbers.map(race))));
    else for (const number of numbers) won.push(await race(number));
  } finally {
    await disk.remove(probe);
  }
  return won.filter((isOurs) => isOurs).length;
}

/** The fault of a place that lets a file take the name of another one. */
export function losesCommits(root: string): Fault {
  return new Fault('lake', 'This place does not keep two writers apart, and would lose commits.', {
    where: root,
    advice:
      'A store must honour If-None-Match: * for PUT, as AWS, Google, Azure, MinIO and SeaweedFS ' +
      'do. Use another store or release of it, or leave out the proxy before it.',
  });
}

async function published(path: string, text: string, disk: Disk): Promise<boolean> {
  const aside = join(dirname(path), `.${randomUUID()}`);
  await disk.write(aside, text);
  try {
    return await disk.publishIfAbsent(aside, path);
  } finally {
    await disk.remove(aside);
  }
}

const markerOf = (paths: Layout): string => join(paths.state, MARKER);

/**
 * Throws Fault('lake') for a data root that this windrow cannot use: it has the layout of another
 * version, or a folder of its tables is a link.
 */
export async function checkRoot(paths: Layout, disk: Disk): Promise<void> {
  await checkLayout(paths, disk);
  for (const folder of [paths.lake, paths.curated]) await checkLinks(folder, 2, disk);
}

/**
 * Throws Fault('lake') if the folder is a link, or one that lies up to `depth` levels below it:
 * DuckDB reads no file outside of the data root, and commits rename files into these folders.
 */
async function checkLinks(path: string, depth: number, disk: Disk): Promise<void> {
  const facts = await disk.stat(path);
  if (facts?.isLink === true) {
    throw new Fault('lake', 'This folder is a link, and tables lie in the data root itself.', {
      where: path,
      advice: 'Move the folder back in place of the link, or link the data root as a whole.',
    });
  }
  if (depth === 0 || facts?.kind !== 'folder') return;
  for (const name of await disk.list(path)) await checkLinks(join(path, name), depth - 1, disk);
}

async function checkLayout(paths: Layout, disk: Disk): Promise<void> {
  const text = await ifThere(disk.read(markerOf(paths)));
  if (text === undefined) return;
  const marker = markerSchema.safeParse(jsonIn(text));
  if (marker.success && marker.data.layout === ROOT_LAYOUT) return;
  const reason = marker.success
    ? `has layout ${marker.data.layout}, written by windrow ${marker.data.windrow}`
    : 'has a marker that cannot be read';
  throw new Fault('lake', `The data root ${reason}; this windrow reads layout ${ROOT_LAYOUT}.`, {
    where: markerOf(paths),
    advice: 'Use the windrow version that wrote it, or another data root (--data DIR).',
  });
}
