import { pageText } from './pages.ts';
import type { Stretch } from './positions.ts';
import type { Reading } from './walked.ts';
import { identityOf } from './wire.ts';

/**
 * Pages of a list whose records have no identity, by what they hold. The same page at another place
 * may be there, or may have been served twice: read in pages of another size, one that was served
 * twice contradicts itself.
 */
export class TwinPages {
  readonly #reading: Reading;
  readonly #ranks = new Map<string, number>();

  constructor(reading: Reading) {
    this.#reading = reading;
  }

  /** Whether the same page was seen at another rank before. */
  isTwin({ records, total = 0, start }: Stretch): boolean {
    const { endpoint, slice } = this.#reading;
    const [sample] = records;
    if (sample === undefined || identityOf(endpoint, slice, sample) !== undefined) return false;
    const text = pageText(endpoint, records);
    const rank = total - start;
    const known = this.#ranks.get(text) ?? rank;
    this.#ranks.set(text, known);
    return known !== rank;
  }
}
