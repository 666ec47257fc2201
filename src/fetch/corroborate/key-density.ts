import { listKey } from '../../coverage/list.ts';
import { blocksIn } from '../../coverage/ranges.ts';
import type { Fetched } from '../fetch-slice.ts';

/** Records that an interval should have before an empty answer for it is surprising. */
const EXPECTED_RECORDS = 3;

/** How many records the keys of a list had per block in this run. */
export class KeyDensity {
  readonly #of = new Map<string, { records: number; blocks: number }>();
  readonly #listed = new Set<string>();

  add(part: Fetched): void {
    if (part.records.length > 0) this.#listed.add(part.slice.list.endpoint);
    const list = listOf(part);
    const known = this.#of.get(list) ?? { records: 0, blocks: 0 };
    known.records += part.records.length;
    known.blocks += blocksIn(part.slice.interval);
    this.#of.set(list, known);
  }

  /** Whether the endpoint listed no record of any key. */
  isSilent({ slice }: Fetched): boolean {
    return !this.#listed.has(slice.list.endpoint);
  }

  /** Whether no list had a record. */
  get isAllSilent(): boolean {
    return this.#listed.size === 0;
  }

  /** Whether the same keys had so many records elsewhere that an empty answer is doubtful. */
  isSurprising(part: Fetched): boolean {
    const { records, blocks } = this.#of.get(listOf(part)) ?? { records: 0, blocks: 1 };
    return (records / blocks) * blocksIn(part.slice.interval) >= EXPECTED_RECORDS;
  }
}

function listOf({ slice }: Fetched): string {
  return `${listKey(slice.list)} ${slice.keys.join()}`;
}
