import type { ListedRecord } from '../../src/catalogue/record-text.ts';
import { Coverage, type Status } from '../../src/coverage/coverage.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import { decode, type Row } from '../../src/land/rows/decode.ts';
import { removes, type Walk } from '../../src/land/rule/claim.ts';
import { merge } from '../../src/land/rule/merge.ts';
import { sharedIn } from '../fixtures/shared-in.ts';

/** A row as it stands in the table of its dataset. */
export interface TableRow {
  readonly dataset: string;
  readonly endpoint: string;
  readonly variant: string;
  readonly row: Row;
}

/** What fetching hands over. */
export interface Landed {
  readonly slice: Slice;
  readonly status: Status;
  readonly reason: string;
  readonly records: readonly ListedRecord[];
  readonly head: number;
  readonly refutes?: true;
}

/** All tables of a lake in memory, behind the real decoding and the real rule of a commit. */
export class MemoryLake {
  #rows: TableRow[] = [];
  readonly #coverage = new Coverage();
  #nowMs = 1_700_000_000_000;

  get rows(): readonly TableRow[] {
    return this.#rows;
  }

  get coverage(): Coverage {
    return this.#coverage;
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  /** Lets snapshots grow old. */
  wait(minutes: number): void {
    this.#nowMs += minutes * 60_000;
  }

  /** One commit of several walks, in their order; they may be of several tables. */
  commit(landed: readonly Landed[]): void {
    this.#nowMs += 1;
    const walks = landed.map((part) => this.#walkOf(part));
    const state = { coverage: this.#coverage, reorganisations: [] };
    const merged = merge(
      state,
      walks,
      sharedIn(this.#rows, ({ row }) => row),
    );
    const kept =
      merged.removals.length === 0
        ? this.#rows
        : this.#rows.filter(
            (row) => !merged.removals.some((removal) => removes(removal, row, row.row)),
          );
    const inserted = merged.inserts.flatMap(({ claim: { list }, records }) => {
      const { endpoint, variant } = list;
      const dataset = list.dataset.name;
      return records.map((row) => ({ dataset, endpoint, variant, row }));
    });
    this.#rows = [...kept, ...inserted];
    for (const entry of merged.coverage) this.#coverage.add(entry);
  }

  #walkOf({ slice, status, reason, records, head, refutes }: Landed): Walk<Row> {
    const { list, keys, interval } = slice;
    const decoded = decode(list, records, interval.from);
    const [broken] = decoded.broken;
    if (broken !== undefined) throw new Error(`the model makes no such records: ${broken.reason}`);
    const claim = { list, keys, interval, status, reason, head };
    const more = refutes === undefined ? {} : { refutes };
    return {
      claim: { ...claim, ...more, readAtMs: this.#nowMs, generation: 0 },
      records: decoded.rows,
    };
  }
}
