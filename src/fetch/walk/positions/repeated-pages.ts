import { pageText } from '../pages.ts';
import type { Reading } from '../walk.ts';
import { identityOf } from '../wire.ts';
import type { PositionStretch } from './positions.ts';

/**
 * Pages of a list whose records have no identity, by what they hold. The same page at another place
 * may be there, or either may have been served for the other: read in pages of another size, one
 * that was served twice contradicts itself.
 */
export class TwinPages {
  readonly #reading: Reading;
  readonly #ranks = new Map<string, { readonly first: number; readonly isDoubted: boolean }>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Ranks at which this page begins, or began before, that have to be read again. */
  doubted({ records, total = 0, start }: PositionStretch): number[] {
    const { endpoint, slice } = this.#reading;
    const [sample] = records;
    if (sample === undefined || identityOf(endpoint, slice, sample) !== undefined) return [];
    const text = pageText(endpoint, records);
    const rank = total - start;
    const { first, isDoubted } = this.#ranks.get(text) ?? { first: rank, isDoubted: false };
    const isTwin = first !== rank;
    this.#ranks.set(text, { first, isDoubted: isDoubted || isTwin });
    if (!isTwin) return [];
    return isDoubted ? [rank] : [first, rank];
  }
}
