import { listKey } from '../../coverage/list.ts';
import { blocksIn } from '../../coverage/ranges.ts';
import type { FetchedPart } from '../../coverage/slice-part.ts';

/** An empty answer is surprising where at least this many records are expected. */
const EXPECTED_RECORDS = 3;

/** Counts the records per block that the keys of each list had in this run. */
export class KeyDensity {
  readonly #totals = new Map<string, { records: number; blocks: number }>();
  readonly #listed = new Set<string>();

  add(part: FetchedPart): void {
    if (part.records.length > 0) this.#listed.add(part.slice.list.endpoint);
    const list = listOf(part);
    const totals = this.#totals.get(list) ?? { records: 0, blocks: 0 };
    totals.records += part.records.length;
    totals.blocks += blocksIn(part.slice.interval);
    this.#totals.set(list, totals);
  }

  /** Whether the endpoint listed no record of any key. */
  isSilent({ slice }: FetchedPart): boolean {
    return !this.#listed.has(slice.list.endpoint);
  }

  /** Whether no list had a record. */
  get isAllSilent(): boolean {
    return this.#listed.size === 0;
  }

  /** The number of blocks in which the same keys had no record; 0 where they had one. */
  emptyBlocks(part: FetchedPart): number {
    const { records, blocks } = this.#totals.get(listOf(part)) ?? { records: 0, blocks: 0 };
    return records > 0 ? 0 : blocks;
  }

  /** Whether the same keys had enough records elsewhere to make an empty answer doubtful. */
  isSurprising(part: FetchedPart): boolean {
    const { records, blocks } = this.#totals.get(listOf(part)) ?? { records: 0, blocks: 1 };
    return (records / blocks) * blocksIn(part.slice.interval) >= EXPECTED_RECORDS;
  }
}

function listOf({ slice }: FetchedPart): string {
  return `${listKey(slice.list)} ${slice.keys.join()}`;
}
