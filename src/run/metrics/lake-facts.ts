import { blocksIn } from '../../coverage/ranges.ts';
import type { Effects } from '../../effects.ts';
import { type Chains, withLake } from '../../land/lake.ts';
import { keptIn } from '../lake/kept-records.ts';
import type { TableFigures } from './figures.ts';

/** Rows, files and coverage of the tables of these chains; none before their first commit. */
export async function tableFigures(
  root: string,
  chains: Chains,
  effects: Effects,
): Promise<TableFigures[]> {
  return withLake({ root, chains, run: 'metrics', effects }, async (lake) => {
    const facts: TableFigures[] = [];
    for (const table of await lake.tables()) {
      const { files, coverage } = await table.snapshot();
      const all = [...files.values()];
      const keyBlocks: Record<string, number> = {};
      for (const { keys, parts } of coverage.groups()) {
        for (const part of parts) {
          const blocks = blocksIn(part) * keys.length;
          keyBlocks[part.status] = (keyBlocks[part.status] ?? 0) + blocks;
        }
      }
      facts.push({
        chain: lake.chainOf(table.dataset.name),
        dataset: table.dataset.name,
        rows: all.reduce((sum, file) => sum + (file.rows ?? 0), 0),
        files: all.length,
        bytes: all.reduce((sum, file) => sum + file.sizeBytes, 0),
        keyBlocks,
      });
    }
    return facts;
  });
}

/** Records that wait in quarantine, by chain. */
export async function quarantineFacts(
  root: string,
  effects: Effects,
): Promise<Record<string, number>> {
  const waiting: Record<string, number> = {};
  for (const { chain, isWaiting } of await keptIn(root, effects)) {
    waiting[chain] = (waiting[chain] ?? 0) + (isWaiting ? 1 : 0);
  }
  return waiting;
}
