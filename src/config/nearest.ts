/** The Levenshtein distance: insertions, deletions and replacements that turn `a` into `b`. */
function distance(a: string, b: string): number {
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced));
    }
    last = row;
  }
  return last[b.length] ?? 0;
}

/**
 * The known name that is most similar to `given`: the only path that ends with it, or the name at
 * the smallest distance, which is at most a third of its letters, and at least 2. undefined if no
 * name is that similar.
 */
function nearest(given: string, known: readonly string[]): string | undefined {
  const wanted = given.toLowerCase();
  const ending = known.filter((name) => name.endsWith(`/${wanted}`));
  if (ending.length === 1) return ending[0];
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const name of known) {
    const found = distance(wanted, name.toLowerCase());
    if (found < bestDistance && found < name.length) {
      best = name;
      bestDistance = found;
    }
  }
  return best;
}

/** Advice for an unknown name: the most similar known name, or all known names. */
export function suggestion(given: unknown, known: readonly string[]): string {
  const near = typeof given === 'string' ? nearest(given, known) : undefined;
  if (near !== undefined) return `Did you mean ${near}?`;
  return known.length === 0 ? 'Remove it.' : `Allowed here: ${known.join(', ')}.`;
}
