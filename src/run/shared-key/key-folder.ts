import { createHash } from 'node:crypto';
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { Fault } from '../../fault.ts';
import { isCode } from '../../land/storage/disk.ts';

/** The state of one key of one service, which all runs of a user on this machine share. */
export interface KeyFolder {
  readonly path: string;
  /** 32 hexadecimal digits, which reveal neither the key nor the service. */
  readonly name: string;
}

/** The owner of a folder: the address of a service, and the access key, if there is one. */
export interface KeyOwner {
  readonly url: string;
  readonly accessKey: string | undefined;
}

/** WINDROW_STATE_DIR, or `windrow` in the user's folder of state. */
export function stateFolder(env: Readonly<Record<string, string | undefined>>): string {
  const { WINDROW_STATE_DIR: folder = '', XDG_STATE_HOME: home = '' } = env;
  if (folder !== '') return folder;
  return join(home === '' ? join(homedir(), '.local', 'state') : home, 'windrow');
}

/** Makes the folder of a key below `root`, for its owner alone. */
export async function keyFolder(
  root: string,
  owner: KeyOwner,
  random: () => number,
): Promise<KeyFolder> {
  try {
    await mkdir(root, { recursive: true, mode: 0o700 });
    const salt = await saltIn(join(root, 'salt'), random);
    const name = keyName(salt, owner);
    const path = folderOf(root, name);
    await mkdir(path, { recursive: true, mode: 0o700 });
    return { path, name };
  } catch (error) {
    throw new Fault('configuration', 'The state that runs share cannot be written.', {
      where: root,
      advice: 'Make the folder writable, or name another one in WINDROW_STATE_DIR.',
      cause: error,
    });
  }
}

/** The name of a key: 32 hexadecimal digits, which reveal neither the key nor the service. */
export function keyName(salt: string, { url, accessKey = '' }: KeyOwner): string {
  const text = [salt, url, accessKey].join('\n');
  return createHash('sha256').update(text).digest('hex').slice(0, 32);
}

/** The folder of a key by its name. */
export function folderOf(root: string, name: string): string {
  return join(root, 'keys', name);
}

/**
 * Random text without which a name could be compared with guessed keys. Published by link, so that
 * two first runs agree on one.
 */
async function saltIn(path: string, random: () => number): Promise<string> {
  const content = await readFile(path, 'utf8').catch(() => '');
  if (content !== '') return content;
  const salt = Array.from({ length: 8 }, () => random().toString(36).slice(2)).join('');
  const aside = `${path}.${salt.slice(0, 16)}`;
  await writeFile(aside, salt, { mode: 0o600 });
  try {
    await link(aside, path);
  } catch (error) {
    if (!isCode(error, 'EEXIST')) throw error;
  } finally {
    await rm(aside, { force: true });
  }
  return readFile(path, 'utf8');
}
