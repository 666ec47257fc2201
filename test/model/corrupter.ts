import { open, readdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { Chance } from './chance.ts';

/** What a disk does to a file that lies on it for long: one bit changes, or the end is lost. */
export interface Corruption {
  readonly path: string;
  readonly what: string;
  /** Puts the file back as it was. */
  undo(): Promise<void>;
}

/** Every file of a lake with data, log entries or windrow's part of a checkpoint, sorted. */
export async function lakeFiles(
  root: string,
): Promise<{ log: string[]; data: string[]; states: string[] }> {
  const all = await readdir(join(root, 'lake'), { recursive: true });
  const paths = all.map((name) => join(root, 'lake', name)).sort();
  return {
    log: paths.filter((path) => path.endsWith('.json')),
    data: paths.filter((path) => /(?<!\.checkpoint)\.parquet$/.test(path)),
    states: paths.filter((path) => path.endsWith('.windrow')),
  };
}

/** Changes one bit of the file, chosen by chance. */
export async function flipBit(path: string, chance: Chance): Promise<Corruption> {
  const { size } = await stat(path);
  const at = chance.between(0, size - 1);
  const bit = chance.between(0, 7);
  const flip = (): Promise<void> => flipAt(path, at, bit);
  await flip();
  return { path, what: `bit ${bit} of byte ${at} of ${size} flipped`, undo: flip };
}

/** Cuts the file at a place chosen by chance; sometimes only its last byte is lost. */
export async function cutEnd(path: string, chance: Chance): Promise<Corruption> {
  const { size } = await stat(path);
  const left = chance.is(0.2) ? size - 1 : chance.between(0, size - 1);
  const file = await open(path, 'r');
  const lost = Buffer.alloc(size - left);
  await file.read(lost, 0, lost.length, left);
  await file.close();
  await truncate(path, left);
  const undo = async (): Promise<void> => {
    const again = await open(path, 'r+');
    await again.write(lost, 0, lost.length, left);
    await again.close();
  };
  return { path, what: `cut to ${left} of ${size} bytes`, undo };
}

async function flipAt(path: string, at: number, bit: number): Promise<void> {
  const file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  byte[0] = (byte[0] ?? 0) ^ (1 << bit);
  await file.write(byte, 0, 1, at);
  await file.close();
}
