import { createHash } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cachesOf } from '../places/mount-root.ts';
import { isCode, localDisk, WRITE_REFUSALS } from './disk.ts';
import { type Layout, layout } from './layout.ts';

/** The process that reads. */
type User = Pick<NodeJS.Process, 'env'> & Partial<Pick<NodeJS.Process, 'getuid'>>;

/**
 * The layout for a reader of a data root. If the root cannot be written, or belongs to others
 * (`isForeign`), readers make their files in a cache folder. The warehouse of the root itself stays
 * the one to use until it fails, but that of others is not trusted.
 */
export async function layoutToRead(root: string, user: User, isForeign = false): Promise<Layout> {
  const paths = layout(root);
  const canWrite = async (folder: string) => !isForeign && (await localDisk.canWrite(folder));
  if ((await canWrite(root)) && (await canWrite(paths.staging))) return paths;
  const made = await cacheFolder(root, user);
  if (made === undefined) return paths;
  const inCache = layout(root, made);
  return isForeign ? inCache : { ...inCache, warehouse: paths.warehouse };
}

/**
 * Makes the cache folder of a data root, for its user alone: in XDG_CACHE_HOME or `~/.cache`, or in
 * the folder of temporary files; undefined if neither can be written.
 */
async function cacheFolder(root: string, { env, getuid }: User): Promise<string | undefined> {
  const uid = getuid?.();
  const name = createHash('sha256')
    .update(await localDisk.realPath(root))
    .digest('hex')
    .slice(0, 16);
  for (const parent of [cachesOf(env), join(tmpdir(), `windrow-${uid ?? 'cache'}`)]) {
    try {
      const folder = join(parent, name);
      await localDisk.makeFolder(folder, 0o700);
      // Another user may have made the folder below /tmp, and could show rows of their own.
      const isOwn = uid === undefined || (await localDisk.stat(parent))?.ownerId === uid;
      if (isOwn && (await localDisk.canWrite(folder))) return folder;
    } catch (error) {
      if (![...WRITE_REFUSALS, 'ENOENT', 'ENOTDIR'].some((code) => isCode(error, code)))
        throw error;
    }
  }
  return undefined;
}
