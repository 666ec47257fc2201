import { createHash } from 'node:crypto';
import { access, constants, mkdir, realpath, stat } from 'node:fs/promises';
import { homedir, tmpdir } from 'node:os';
import { isAbsolute, join } from 'node:path';
import { isCode } from './disk.ts';
import { type Layout, layout } from './layout.ts';

/** Codes of writes that permissions or a read-only file system refuse. */
export const WRITE_REFUSALS = ['EACCES', 'EPERM', 'EROFS'];

/** Whether this user can make files in a folder; true for a folder that is not there. */
export async function canWrite(folder: string): Promise<boolean> {
  return access(folder, constants.W_OK).then(
    () => true,
    (error: unknown) => !WRITE_REFUSALS.some((code) => isCode(error, code)),
  );
}

/** The process that reads. */
type User = Pick<NodeJS.Process, 'env'> & Partial<Pick<NodeJS.Process, 'getuid'>>;

/**
 * The layout for a reader of a data root. If the root cannot be written, readers make their files
 * in a cache folder; the warehouse of the root itself stays the one to use until it fails.
 */
export async function layoutToRead(root: string, user: User): Promise<Layout> {
  const paths = layout(root);
  if ((await canWrite(root)) && (await canWrite(paths.staging))) return paths;
  const made = await cacheFolder(root, user);
  return made === undefined ? paths : { ...layout(root, made), warehouse: paths.warehouse };
}

/**
 * Makes the cache folder of a data root, for its user alone: in XDG_CACHE_HOME or `~/.cache`, or in
 * the folder of temporary files; undefined if neither can be written.
 */
async function cacheFolder(root: string, { env, getuid }: User): Promise<string | undefined> {
  const { XDG_CACHE_HOME: home = '' } = env;
  const uid = getuid?.();
  const name = createHash('sha256')
    .update(await realpath(root))
    .digest('hex')
    .slice(0, 16);
  const caches = isAbsolute(home) ? home : join(homedir(), '.cache');
  for (const parent of [join(caches, 'windrow'), join(tmpdir(), `windrow-${uid ?? 'cache'}`)]) {
    try {
      const folder = join(parent, name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      // Another user may have made the folder below /tmp, and could show rows of their own.
      const isOwn = uid === undefined || (await stat(parent)).uid === uid;
      if (isOwn && (await canWrite(folder))) return folder;
    } catch (error) {
      if (![...WRITE_REFUSALS, 'ENOENT', 'ENOTDIR'].some((code) => isCode(error, code)))
        throw error;
    }
  }
  return undefined;
}
