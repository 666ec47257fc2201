import { Coverage, type CoverageEntry } from '../../src/coverage/coverage.ts';
import { removes, type Walk } from '../../src/land/rule/claim.ts';
import { forgottenKeys, forgottenRows } from '../../src/land/rule/forgotten-keys.ts';
import { demoted, merge, type TableState } from '../../src/land/rule/merge.ts';
import { sharedIn } from '../fixtures/shared-in.ts';
import type { ChainRecord, Store } from './history.ts';

interface Row {
  readonly endpoint: string;
  readonly variant: string;
  readonly record: ChainRecord;
}

/** The model of a table: rows and coverage in memory, one commit at a time. */
export class MemoryStore implements Store {
  #rows: Row[] = [];
  #known: TableState = { coverage: new Coverage(), reorganisations: [] };

  known(): Promise<TableState> {
    return Promise.resolve(this.#known);
  }

  commit(walks: readonly Walk<ChainRecord>[]): Promise<readonly CoverageEntry[]> {
    const shared = sharedIn(this.#rows, ({ record }) => record);
    const merged = merge(this.#known, walks, shared);
    const kept = this.#rows.filter(
      (row) => !merged.removals.some((removal) => removes(removal, row, row.record)),
    );
    this.#rows = [
      ...kept,
      ...merged.inserts.flatMap(({ claim: { list }, records }) =>
        records.map((record) => ({ endpoint: list.endpoint, variant: list.variant, record })),
      ),
    ];
    for (const entry of merged.coverage) this.#known.coverage.add(entry);
    return Promise.resolve(merged.contradicted);
  }

  reorganised(height: number): Promise<void> {
    for (const entry of demoted(this.#known.coverage, height)) this.#known.coverage.add(entry);
    this.#known = {
      ...this.#known,
      reorganisations: [...this.#known.reorganisations, { height }],
    };
    return Promise.resolve();
  }

  compact(): Promise<void> {
    this.#rows.reverse();
    return Promise.resolve();
  }

  forget(keys: readonly string[]): Promise<void> {
    const { coverage } = this.#known;
    for (const list of coverage.lists()) {
      const found = forgottenKeys(coverage, list, keys, coverage.keysOf(list).keys());
      if (found === undefined) continue;
      const gone = forgottenRows(found);
      this.#rows = this.#rows.filter((row) => !removes(gone, row, row.record));
      coverage.drop(list, keys);
    }
    return Promise.resolve();
  }

  rows(): Promise<readonly ChainRecord[]> {
    return Promise.resolve(this.#rows.map((row) => row.record));
  }
}
