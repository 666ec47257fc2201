import { surroundingsOf } from '../../../src/cli/job/console-surroundings.ts';
import type { Console } from '../../../src/cli/terminal/console.ts';
import type { Effects } from '../../../src/effects.ts';
import { Fault } from '../../../src/fault.ts';
import { layoutToRead } from '../../../src/land/storage/cache-folder.ts';
import { readyWarehouse } from '../../../src/run/lake/ready-warehouse.ts';
import { memoryBytes } from '../../../src/system.ts';
import type { Explorer } from '../explorer/explorer.ts';

/** Pages take an eighth of the machine's memory, and at least this. */
const LEAST_PAGES_MEMORY_BYTES = 2 ** 29;

interface PagesArguments {
  readonly data?: string | undefined;
  readonly auth: boolean;
  readonly pages?: boolean | undefined;
}

/**
 * The pages about a lake. They need no key, so a service that checks keys serves them only if it
 * was asked to with --pages. A data root that cannot be written gets its warehouse here. Throws a
 * Fault('usage') for --pages without --data.
 */
export async function openPages(
  { data, auth, pages }: PagesArguments,
  effects: Effects,
  output: Console,
): Promise<Explorer | undefined> {
  if (data === undefined && pages === true) {
    throw new Fault('usage', '--pages needs --data.', {
      advice: 'Omit --pages, or serve --data DIR.',
    });
  }
  if (data === undefined || !(pages ?? !auth)) return undefined;
  const { createExplorer } = await import('../explorer/explorer.ts');
  const paths = await layoutToRead(data, process);
  const isCached = paths.made !== paths.root;
  const ready = isCached ? await readyWarehouse(paths, surroundingsOf(output)) : undefined;
  const { warehouse, root } = ready ?? paths;
  return createExplorer({
    warehouse,
    root,
    effects,
    memoryBytes: Math.max(LEAST_PAGES_MEMORY_BYTES, memoryBytes() / 8),
  });
}
