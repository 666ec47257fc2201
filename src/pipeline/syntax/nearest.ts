/**
 * The number of typing errors that turn `a` into `b`: letters inserted, left out or replaced, and
 * neighbours in the wrong order.
 */
function distance(a: string, b: string): number {
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= b.length; j += 1) {
      const replaced = (last[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const swapped = isSwapped ? (beforeLast[j - 2] ?? 0) + 1 : replaced;
      row.push(Math.min((last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, replaced, swapped));
    }
    beforeLast = last;
    last = row;
  }
  return last[b.length] ?? 0;
}

/**
 * The known name that is most similar to the word: the only path that ends with it, or the name at
 * the smallest distance: at most 2, or a third of the letters, and less than half of its own.
 * undefined if no name is that similar.
 */
function nearest(word: string, names: readonly string[]): string | undefined {
  const wanted = letters(word);
  const ending = names.filter((name) => name.endsWith(`/${wanted}`));
  if (ending.length === 1) return ending[0];
  let best: string | undefined;
  let bestDistance = Math.max(2, Math.floor(wanted.length / 3)) + 1;
  for (const name of names) {
    const nameDistance = distance(wanted, letters(name));
    if (nameDistance < bestDistance && nameDistance * 2 < letters(name).length) {
      best = name;
      bestDistance = nameDistance;
    }
  }
  return best;
}

/** A name as it is compared: in lower case, an option without its dashes. */
function letters(name: string): string {
  return name.toLowerCase().replace(/^-+/, '');
}

/** More names than this say nothing to the reader of a message. */
const MOST_NAMES = 60;

/** Advice for an unknown name: the most similar known name, or the known names. */
export function suggestion(word: unknown, names: readonly string[]): string {
  const near = typeof word === 'string' ? nearest(word, names) : undefined;
  if (near !== undefined) return `Did you mean ${near}?`;
  if (names.length === 0) return 'Remove it.';
  const rest = names.length > MOST_NAMES ? `, and ${names.length - MOST_NAMES} more` : '';
  return `Allowed here: ${names.slice(0, MOST_NAMES).join(', ')}${rest}.`;
}
