import type { Effects } from '../../../effects.ts';
import type { Explorer } from '../../../explorer/explorer.ts';
import { Fault } from '../../../fault.ts';
import { layout } from '../../../land/storage/layout.ts';
import { memoryBytes } from '../../../system.ts';

/** Pages take an eighth of the machine's memory, and at least this. */
const LEAST_PAGES_MEMORY_BYTES = 2 ** 29;

interface PagesArguments {
  readonly data?: string | undefined;
  readonly auth: boolean;
  readonly pages?: boolean | undefined;
}

/**
 * The pages about a lake. They need no key, so a service that checks keys serves them only if it
 * was asked to with --pages. Throws a Fault('usage') for --pages without --data.
 */
export async function openPages(
  { data, auth, pages }: PagesArguments,
  effects: Effects,
): Promise<Explorer | undefined> {
  if (data === undefined && pages === true) {
    throw new Fault('usage', '--pages needs --data.', {
      advice: 'Omit --pages, or serve --data DIR.',
    });
  }
  if (data === undefined || !(pages ?? !auth)) return undefined;
  const { createExplorer } = await import('../../../explorer/explorer.ts');
  return createExplorer({
    warehouse: layout(data).warehouse,
    effects,
    memoryBytes: Math.max(LEAST_PAGES_MEMORY_BYTES, memoryBytes() / 8),
  });
}
