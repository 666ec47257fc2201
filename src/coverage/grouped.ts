/** The items by a key of each, in their order. */
export function grouped<T, K>(items: Iterable<T>, keyOf: (item: T) => K): Map<K, T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
}

/** The items in chunks of this size; the last may be smaller. */
export function chunksOf<T>(items: readonly T[], size: number): T[][] {
  const chunks = Math.ceil(items.length / size);
  return Array.from({ length: chunks }, (_, at) => items.slice(at * size, (at + 1) * size));
}
