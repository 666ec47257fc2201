import { dirname } from 'node:path';
import { z } from 'zod';
import type { Effects } from '../effects.ts';
import { jsonIn } from '../json-in.ts';
import { type Disk, ifThere, isFull } from '../land/storage/disk.ts';

/** A JSON file of values by name, which processes of a data root write in turn. */
export interface StateFile<T> {
  readonly values: Readonly<Record<string, T>>;
  /** Durable when this returns. On a full disk, it uses the room that the file has reserved. */
  save(name: string, value: T): Promise<void>;
}

/**
 * Opens a file of `state`. A file beside it reserves `reserveBytes` for full disks. No value in it
 * is vital: a damaged file counts as empty, with a warning, and the first save moves it aside.
 */
export async function openState<T>(
  path: string,
  schema: z.ZodType<T>,
  disk: Disk,
  effects: Effects,
  reserveBytes = 0,
): Promise<StateFile<T>> {
  const values = await valuesOfState(path, schema, disk);
  let isDamaged = values === undefined;
  if (isDamaged) effects.log('warn', `${path} could not be read, and counts as empty.`);
  let all = values ?? {};
  const reserve = path.replace(/json$/, 'reserve');
  const reserveRoom = async (): Promise<void> => {
    if (reserveBytes === 0 || (await disk.stat(reserve)) !== undefined) return;
    // Bytes that no file system compresses or leaves out.
    await disk.put(reserve, Buffer.alloc(reserveBytes, `windrow keeps this room for ${path}. `));
  };
  return {
    get values() {
      return all;
    },
    async save(name, value) {
      all = { ...all, [name]: value };
      const text = `${JSON.stringify(all, undefined, 2)}\n`;
      if (isDamaged) await ifThere(disk.rename(path, `${path}.damaged-${effects.now()}`));
      isDamaged = false;
      try {
        await disk.makeFolder(dirname(path));
        await disk.put(path, text);
      } catch (error) {
        if (!isFull(error)) throw error;
        await disk.remove(reserve);
        await disk.put(path, text);
        return;
      }
      // Without room, the next save tries again.
      await reserveRoom().catch((error: unknown) => {
        if (!isFull(error)) throw error;
      });
    },
  };
}

/** The values of a file; none if it is absent, and undefined if it is damaged or unreadable. */
export async function valuesOfState<T>(
  path: string,
  schema: z.ZodType<T>,
  disk: Disk,
): Promise<Readonly<Record<string, T>> | undefined> {
  const text = await ifThere(disk.read(path)).catch(() => '');
  return text === undefined ? {} : z.record(z.string(), schema).safeParse(jsonIn(text)).data;
}
