/**
 * Caches the `most` answers that were computed last, because neighbouring heights need the same
 * ones. An answer must depend on the height alone and never be undefined.
 */
export function recentAnswers<T extends object>(
  compute: (height: number) => T,
  most: number,
): (height: number) => T {
  const cache = new Map<number, T>();
  return (height) => {
    const before = cache.get(height);
    if (before !== undefined) return before;
    const computed = compute(height);
    cache.set(height, computed);
    const [oldest] = cache.keys();
    if (cache.size > most && oldest !== undefined) cache.delete(oldest);
    return computed;
  };
}
