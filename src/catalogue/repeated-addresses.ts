import { addressesIn } from './column-kind.ts';

/** Most texts that are kept: they take a few MiB. */
const MOST_TEXTS = 16_384;

const kept = new Map<string, readonly string[]>();

/**
 * `addressesIn`, with the same strings for equal texts, because a few addresses are in most of the
 * records: maps find these faster than copies, and V8 keeps the text of a whole page in memory for
 * every string that is cut out of it.
 */
export function repeatedAddressesIn(text: string): readonly string[] {
  const cached = kept.get(text);
  if (cached !== undefined) return cached;
  // A new string, which is not cut out of the page.
  const copy = Buffer.from(text, 'utf8').toString('utf8');
  // UTF-8 cannot express a lone surrogate, so the new string would be another text.
  if (copy !== text) return addressesIn(text);
  const addresses = addressesIn(copy);
  if (kept.size === MOST_TEXTS) kept.clear();
  kept.set(copy, addresses);
  return addresses;
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
