import { addressesIn } from './column-kind.ts';

/** The cache holds this many texts at most, which take a few MiB. */
const MOST_TEXTS = 20_000;
/**
 * The cache is emptied after this many calls, so that it follows a run to other addresses. Adding a
 * text costs more than splitting it, so a full cache adds none until then.
 */
const MOST_CALLS = 500_000;

/**
 * A cache of `addressesIn`, because a few addresses are in most of the records. It also returns the
 * same string for equal texts: maps find that faster than a copy, and V8 keeps the text of a whole
 * page in memory for every string that is cut out of it.
 */
export class RepeatedAddresses {
  readonly #known = new Map<string, readonly string[]>();
  #calls = 0;

  in(text: string): readonly string[] {
    this.#calls += 1;
    if (this.#calls > MOST_CALLS) {
      this.#known.clear();
      this.#calls = 0;
    }
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_TEXTS) return addressesIn(text);
    // A new string, which is not cut out of the page.
    const own = Buffer.from(text, 'utf8').toString('utf8');
    // UTF-8 cannot express a lone surrogate, so the new string would be another text.
    if (own !== text) return addressesIn(text);
    const addresses = addressesIn(own);
    this.#known.set(own, addresses);
    return addresses;
  }
}
