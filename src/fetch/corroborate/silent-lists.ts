import { type EmptyPart, inWidths, longestFirst, ofEachKey } from './empty-part.ts';
import type { KeyDensity } from './key-density.ts';
import type { ListSource } from './known-question.ts';
import { RecordsOfBlocks } from './records-of-blocks.ts';

/** Keys without records in this many blocks are asked in other requests. */
export const LONG_BLOCKS = 10_000;
/** Most parts of a list that are read in other widths. */
const MAX_PARTS = 5;

type ReadPieces = (pieces: readonly EmptyPart[]) => Promise<EmptyPart[]>;

/** Finds records of endpoints that have had none in a run, and whose every range may be empty. */
export class SilentLists {
  readonly #source: ListSource;
  readonly #density: KeyDensity;
  readonly #blocks: RecordsOfBlocks;
  readonly #readPieces: ReadPieces;
  readonly #tried = new Set<string>();

  /** `readPieces` lands the pieces with records and returns the others. */
  constructor(source: ListSource, density: KeyDensity, readPieces: ReadPieces) {
    this.#source = source;
    this.#density = density;
    this.#blocks = new RecordsOfBlocks(source);
    this.#readPieces = readPieces;
  }

  /**
   * Shows a record of a block to the list. If it has none, the longest parts are read in other
   * requests, until one has records: in pieces of different widths with another page size, then
   * each key alone. Returns the parts, with the empty pieces in place of a part with records. Tries
   * once for each endpoint and run.
   */
  async read(held: readonly EmptyPart[]): Promise<readonly EmptyPart[]> {
    const { answered } = this.#source.facts;
    const isSilent = ({ part }: EmptyPart): boolean =>
      answered.newestOf(part.slice.list) === undefined &&
      this.#density.emptyBlocks(part) >= LONG_BLOCKS;
    const longest = longestFirst(held.filter(isSilent), MAX_PARTS);
    const [first] = longest;
    if (first === undefined || this.#tried.has(first.part.slice.list.endpoint)) return held;
    const { list } = first.part.slice;
    this.#tried.add(list.endpoint);
    const highest = Math.max(...held.map(({ part }) => part.slice.interval.to));
    if (await this.#blocks.areShown(list, highest, first.settings)) return held;
    const group = longest.find(({ part }) => part.slice.keys.length > 1);
    const others = longest.map((whole) => ({ whole, pieces: inWidths(whole) }));
    if (group !== undefined) others.push({ whole: group, pieces: ofEachKey(group) });
    for (const { whole, pieces } of others) {
      const empty = await this.#readPieces(pieces);
      if (empty.length === pieces.length) continue;
      const { settings } = whole;
      const rest = held.filter((part) => part !== whole);
      return [...rest, ...empty.map((part) => ({ ...part, settings }))];
    }
    return held;
  }
}
