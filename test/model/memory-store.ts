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
  #state: TableState = { coverage: new Coverage(), reorganisations: [] };

  state(): Promise<TableState> {
    return Promise.resolve(this.#state);
  }

  commit(walks: readonly Walk<ChainRecord>[]): Promise<readonly CoverageEntry[]> {
    const shared = sharedIn(this.#rows, ({ record }) => record);
    const merged = merge(this.#state, walks, shared);
    const kept = this.#rows.filter(
      (row) => !merged.removals.some((removal) => removes(removal, row, row.record)),
    );
    this.#rows = [
      ...kept,
      ...merged.inserts.flatMap(({ claim: { list }, records }) =>
        records.map((record) => ({ endpoint: list.endpoint, variant: list.variant, record })),
      ),
    ];
    for (const entry of merged.coverage) this.#state.coverage.add(entry);
    return Promise.resolve(merged.contradicted);
  }

  reorganised(height: number): Promise<void> {
    for (const entry of demoted(this.#state.coverage, height)) this.#state.coverage.add(entry);
    this.#state = {
      ...this.#state,
      reorganisations: [...this.#state.reorganisations, { height }],
    };
    return Promise.resolve();
  }

  compact(): Promise<void> {
    this.#rows.reverse();
    return Promise.resolve();
  }

  forget(keys: readonly string[]): Promise<void> {
    const { coverage } = this.#state;
    for (const list of coverage.lists()) {
      const region = forgottenKeys(coverage, list, keys, coverage.keysOf(list).keys());
      if (region === undefined) continue;
      const gone = forgottenRows(region);
      this.#rows = this.#rows.filter((row) => !removes(gone, row, row.record));
      coverage.drop(list, keys);
    }
    return Promise.resolve();
  }

  rows(): Promise<readonly ChainRecord[]> {
    return Promise.resolve(this.#rows.map((row) => row.record));
  }
}
