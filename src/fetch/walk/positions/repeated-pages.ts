import { pageText } from '../pages.ts';
import { identityOf } from '../record-reader.ts';
import type { Reading } from '../walk.ts';
import { ContradictionError, type PositionStretch } from './positions.ts';

/**
 * Detects repeated pages in a list whose records have no identity. The same page at two positions
 * may be real, or one may be a repeat of the other. Reading both in pages of another size decides:
 * a repeated page then contradicts itself. Pages of one record have no smaller size, so there the
 * list is read again from its front.
 */
export class RepeatedPages {
  readonly #reading: Reading;
  readonly #ranks = new Map<string, { readonly first: number; readonly isDoubted: boolean }>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /**
   * The first ranks of this page and of its earlier occurrence, where they must be read again in
   * pages of fewer than `size` records. Throws ContradictionError where there are none.
   */
  doubted({ records, total = 0, start }: PositionStretch, size: number): number[] {
    const { slice } = this.#reading;
    const [sample] = records;
    if (sample === undefined || identityOf(slice, sample) !== undefined) return [];
    const text = pageText(records);
    const rank = total - start;
    const { first, isDoubted } = this.#ranks.get(text) ?? { first: rank, isDoubted: false };
    const isRepeated = first !== rank;
    this.#ranks.set(text, { first, isDoubted: isDoubted || isRepeated });
    if (!isRepeated) return [];
    if (size === 1) throw new ContradictionError('two pages of one record are equal');
    return isDoubted ? [rank] : [first, rank];
  }
}
