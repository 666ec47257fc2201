import { addressesIn } from './column-kind.ts';

/** Places of the cache, a power of two: with their texts they take a few MiB. */
const PLACES = 16_384;

interface Known {
  readonly text: string;
  readonly addresses: readonly string[];
  /** Found again since another text wanted its place. */
  isUsed: boolean;
}

/**
 * A cache of `addressesIn`, because a few addresses are in most of the records. It also returns the
 * same string for equal texts: maps find that faster than a copy, and V8 keeps the text of a whole
 * page in memory for every string that is cut out of it.
 *
 * The place of a text follows from its last characters, which takes a third of the time of a map:
 * that would hash all of them. A text that is found again keeps its place the first time that
 * another wants it, so rare addresses do not replace frequent ones, and the cache follows a run to
 * other addresses.
 */
export class RepeatedAddresses {
  readonly #places: (Known | undefined)[] = new Array<Known | undefined>(PLACES).fill(undefined);

  in(text: string): readonly string[] {
    const place = placeOf(text);
    const cached = this.#places[place];
    if (cached?.text === text) {
      cached.isUsed = true;
      return cached.addresses;
    }
    if (cached?.isUsed === true) {
      cached.isUsed = false;
      return addressesIn(text);
    }
    // A new string, which is not cut out of the page.
    const copy = Buffer.from(text, 'utf8').toString('utf8');
    // UTF-8 cannot express a lone surrogate, so the new string would be another text.
    if (copy !== text) return addressesIn(text);
    const addresses = addressesIn(copy);
    this.#places[place] = { text: copy, addresses, isUsed: false };
    return addresses;
  }
}

/**
 * The distinct addresses of both lists. An array that grows by pushing or spreading gets room
 * for 17, which a commit would keep for every row.
 */
export function union(addresses: readonly string[], more: readonly string[]): readonly string[] {
  const [only = ''] = more;
  if (more.length !== 1) return [...new Set([...addresses, ...more])];
  if (addresses.length === 0) return more;
  if (addresses.includes(only)) return addresses;
  const [first = ''] = addresses;
  return addresses.length === 1 ? [first, only] : addresses.concat(more);
}

function placeOf(text: string): number {
  let place = 0;
  for (let at = Math.max(0, text.length - 5); at < text.length; at += 1) {
    place = Math.imul(place, 31) + text.charCodeAt(at);
  }
  return place & (PLACES - 1);
}
