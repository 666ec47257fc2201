import { dirname, resolve, sep } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { withDatabase } from '../land/storage/connection.ts';
import { localDisk } from '../land/storage/disk.ts';
import { dataFilesOf } from './query/open-warehouse.ts';

export interface StaleWarehouse {
  /** The rest of a sentence that begins with "The warehouse". */
  readonly why: string;
  /** Chains of its tables; empty if it cannot be read. */
  readonly chains: readonly string[];
}

/**
 * The reason why a warehouse must be rebuilt before use: it is missing, it cannot be opened, or its
 * views name files outside its own data root. Undefined for a usable warehouse.
 */
export async function staleWarehouse(path: string): Promise<StaleWarehouse | undefined> {
  if ((await localDisk.stat(path)) === undefined) return { why: 'is not there', chains: [] };
  try {
    const folder = dirname(resolve(path));
    const { files, chains } = await contentOf(path);
    if (await areAllBelow(folder, files)) return undefined;
    return { why: 'names files at another place, because the data root was moved', chains };
  } catch {
    return { why: 'cannot be read', chains: [] };
  }
}

/** Whether the folder holds all files, by its own path or by another one that leads to it. */
async function areAllBelow(folder: string, files: readonly string[]): Promise<boolean> {
  const strange = files.filter((file) => !file.startsWith(`${folder}${sep}`));
  if (strange.length === 0) return true;
  const real = `${await localDisk.realPath(folder)}${sep}`;
  const folders = new Map<string, Promise<string>>();
  for (const file of strange) {
    const parent = dirname(file);
    const realPath = folders.get(parent) ?? localDisk.realPath(parent).catch(() => '');
    folders.set(parent, realPath);
    if (!(await realPath).startsWith(real)) return false;
  }
  return true;
}

function contentOf(path: string): Promise<{ files: string[]; chains: string[] }> {
  const read = async (connection: DuckDBConnection) => {
    const files = await dataFilesOf(connection);
    const chains = await connection.runAndReadAll('SELECT DISTINCT chain FROM lake.tables');
    return { files, chains: chains.getRows().map(([chain]) => String(chain)) };
  };
  return withDatabase(path, read, { access_mode: 'READ_ONLY' });
}
