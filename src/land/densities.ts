import { hasRows } from '../coverage/coverage.ts';
import type { Densities, Density } from '../coverage/density.ts';
import { listKey } from '../coverage/list.ts';
import { blocksIn } from '../coverage/ranges.ts';
import { totalOf } from './delta/fold.ts';
import type { Lake } from './lake.ts';

const NONE = { slices: 0, requests: 0, keyBlocks: 0 };

/** Rows per key and block of each list, computed from past commits. */
export async function densitiesOf(lake: Lake): Promise<Densities> {
  const densities = new Map<string, Density>();
  for (const table of await lake.tables()) {
    const { files, coverage, walked } = await table.snapshot();
    // Another engine has merged files, so rows per list are unknown.
    if ([...files.values()].some(({ source }) => source === undefined)) continue;
    const keyBlocks = new Map<string, number>();
    for (const { keys, parts, ...list } of coverage.grouped()) {
      const id = listKey(list);
      for (const part of parts) {
        if (!hasRows(part.status)) continue;
        keyBlocks.set(id, (keyBlocks.get(id) ?? 0) + keys.length * blocksIn(part));
      }
    }
    for (const [id, blocks] of keyBlocks) {
      const listFiles = [...files.values()].filter(
        ({ source }) => source !== undefined && listKey(source) === id,
      );
      const { rows, bytes } = totalOf(listFiles);
      densities.set(id, {
        rows,
        keyBlocks: blocks,
        bytesPerRow: rows === 0 ? 0 : bytes / rows,
        walked: walked.get(id) ?? NONE,
      });
    }
  }
  return densities;
}
