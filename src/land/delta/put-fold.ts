import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import type { Effects } from '../../effects.ts';
import type { Disk } from '../storage/disk.ts';

/**
 * Puts the content of a saved fold at the path, in place of the older one. Whatever stops it,
 * readers find one of the two, whole. Returns its length.
 */
export async function putFold(
  { disk, effects, staging }: { disk: Disk; effects: Effects; staging: string },
  path: string,
  content: Iterable<string | Buffer>,
): Promise<number> {
  let length = 0;
  const counted = function* (): Generator<string | Buffer, void, undefined> {
    for (const part of content) {
      length += part.length;
      yield part;
    }
  };
  const staged = join(staging, `fold-${randomUUID()}.jsonl`);
  try {
    await disk.makeFolder(staging);
    await disk.write(staged, counted());
    effects.reached('fold written');
    await disk.sync(staged);
    effects.reached('fold synced');
    await disk.makeFolder(dirname(path));
    await disk.rename(staged, path);
    effects.reached('fold saved');
  } catch (error) {
    await disk.remove(staged).catch(() => undefined);
    throw error;
  }
  return length;
}
