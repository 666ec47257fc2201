import type { CoverageEntry } from '../coverage/coverage.ts';
import { listKey } from '../coverage/list.ts';
import type { Interval } from '../coverage/ranges.ts';
import type { Lake } from '../land/lake.ts';
import type { Contradiction } from './rule/contradictions.ts';

/** Marks coverage of contradictory rows as inconsistent, and returns it. */
export async function withdrawContradictory(
  lake: Lake,
  contradictions: readonly Contradiction[],
  compared: readonly Interval[],
): Promise<readonly CoverageEntry[]> {
  const withdrawn: CoverageEntry[] = [];
  for (const name of new Set(contradictions.map(({ list }) => list.dataset))) {
    const rows = contradictions.filter(({ list }) => list.dataset === name);
    withdrawn.push(...(await lake.table(name).contradict(rows, compared)));
  }
  return withdrawn;
}

/** One line for each list. */
export function contradictionTexts(entries: readonly CoverageEntry[]): string[] {
  const examples = new Map<string, CoverageEntry>();
  for (const entry of entries) {
    const list = listKey(entry).replace(/\?$/, '');
    if (!examples.has(list)) examples.set(list, entry);
  }
  return [...examples].map(
    ([list, { reason }]) =>
      `${list} contradicts other records and is inconsistent there: ${reason}. ` +
      'The next run reads these blocks again.',
  );
}
