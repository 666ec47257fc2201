import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { localDisk } from '../../../../land/storage/disk.ts';

const MAX_LINES = 1_000;
/** Queries name addresses that their author follows: other users must not read them. */
const OWNER_ONLY = 0o600;

/** The file of the shell's history, by the XDG convention. */
export function historyFile(env: NodeJS.ProcessEnv): string {
  const state = env['XDG_STATE_HOME'] || join(homedir(), '.local', 'state');
  return join(state, 'windrow', 'sql_history');
}

/** Lines of the history, newest first; none if there is no readable file. */
export async function readHistory(file: string): Promise<string[]> {
  const text = await localDisk.read(file).catch(() => '');
  return text
    .split('\n')
    .filter((line) => line !== '')
    .reverse();
}

/** Replaces the history by lines, newest first; a file that cannot be written is left alone. */
export async function keepHistory(file: string, lines: readonly string[]): Promise<void> {
  const text = lines
    .slice(0, MAX_LINES)
    .reverse()
    .map((line) => `${line}\n`)
    .join('');
  try {
    await localDisk.makeFolder(dirname(file));
    await localDisk.put(file, text, OWNER_ONLY);
  } catch {
    // The shell works without its history.
  }
}
