import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CuratedHistory, type HistoryCase } from './history.ts';
import { curatedModel } from './rule.ts';
import { differences, exactDifferences, TableReader } from './tables.ts';

export interface Played {
  /** Differences of the tables; empty if all is well. */
  readonly flaws: readonly string[];
  /** Rows of all curated tables at the end. */
  readonly rows: number;
}

/**
 * Plays random histories in one lake and curates after several of their prefixes. At the end the
 * tables must equal those of a full rebuild, and those of the rule in memory.
 */
export async function playHistories(setup: HistoryCase): Promise<Played> {
  const root = await mkdtemp(join(tmpdir(), 'windrow-curate-'));
  const history = await CuratedHistory.open(root, setup);
  const reader = await TableReader.open();
  try {
    const rounds = history.chance.between(2, 4);
    for (let round = 0; round < rounds; round += 1) {
      await history.play();
      const isLast = round === rounds - 1;
      if (isLast || round === 0 || history.chance.is(0.8)) await history.curate();
    }
    const flaws: string[] = [];
    const incremental = await reader.curated(history.lake);
    await history.rebuild();
    const full = await reader.curated(history.lake);
    for (const [table, rows] of full) {
      flaws.push(...exactDifferences(`incremental ${table}`, incremental.get(table) ?? [], rows));
    }
    const model = curatedModel(await reader.raw(history.lake));
    for (const [table, rows] of Object.entries(model)) {
      flaws.push(...differences(table, full.get(table) ?? [], rows));
    }
    const count = [...full.values()].reduce((sum, rows) => sum + rows.length, 0);
    return { flaws, rows: count };
  } finally {
    reader.close();
    history.close();
    await rm(root, { recursive: true, force: true });
  }
}
