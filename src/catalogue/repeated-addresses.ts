import { addressesIn } from './column-kind.ts';

/** Texts that are kept at once: a few MiB. */
const MOST_TEXTS = 20_000;
/** After so many questions, other texts are kept: keeping one costs more than splitting it. */
const MOST_QUESTIONS = 500_000;

/**
 * The addresses in texts, as `addressesIn` gives them. Few addresses are in most records, so their
 * texts are kept. Equal addresses are mostly one string, which maps find faster than a copy, and no
 * part of the text of a whole page, which would stay in memory with it.
 */
export class RepeatedAddresses {
  readonly #known = new Map<string, readonly string[]>();
  #questions = 0;

  in(text: string): readonly string[] {
    this.#questions += 1;
    if (this.#questions > MOST_QUESTIONS) {
      this.#known.clear();
      this.#questions = 0;
    }
    const known = this.#known.get(text);
    if (known !== undefined) return known;
    if (this.#known.size >= MOST_TEXTS) return addressesIn(text);
    // A new string: V8 keeps the whole page for a part of its text.
    const own = Buffer.from(text, 'utf8').toString('utf8');
    // UTF-8 has no lone surrogates.
    if (own !== text) return addressesIn(text);
    const addresses = addressesIn(own);
    this.#known.set(own, addresses);
    return addresses;
  }
}
