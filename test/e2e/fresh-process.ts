import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const READER = fileURLToPath(new URL('read-views.mjs', import.meta.url));

/** How the reading process opens the warehouse: as windrow does, or as any other program. */
export const CLIENTS = ['windrow', 'plain'] as const;

/**
 * Rows of every view of a warehouse and of every curated table (as `curated.<table>`) below
 * `LIMIT 10`, read in a process of its own. Rejects when the process crashes.
 */
export async function rowsByView(
  warehouse: string,
  client: (typeof CLIENTS)[number],
): Promise<Record<string, number>> {
  const { stdout } = await promisify(execFile)(process.execPath, [READER, warehouse, client]);
  return JSON.parse(stdout) as Record<string, number>;
}
