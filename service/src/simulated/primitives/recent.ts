/**
 * Caches the `most` answers that were computed last, because neighbouring heights need the same
 * ones. An answer must depend on the height alone and never be undefined.
 */
export function recentAnswers<T extends object>(
  compute: (height: number) => T,
  most: number,
): (height: number) => T {
  const known = new Map<number, T>();
  return (height) => {
    const before = known.get(height);
    if (before !== undefined) return before;
    const computed = compute(height);
    known.set(height, computed);
    const [oldest] = known.keys();
    if (known.size > most && oldest !== undefined) known.delete(oldest);
    return computed;
  };
}
