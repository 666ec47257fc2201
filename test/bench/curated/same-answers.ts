/** Relative difference up to which doubles are equal: sums depend on the order of the rows. */
const TOLERANCE = 1e-9;

/** The first difference of two answers as text; undefined if they are equal. */
export function firstDifference(one: unknown, other: unknown, at = 'rows'): string | undefined {
  if (Object.is(one, other) || isNear(one, other)) return undefined;
  if (isObject(one) && isObject(other)) {
    for (const name of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const difference = firstDifference(one[name], other[name], `${at}.${name}`);
      if (difference !== undefined) return difference;
    }
    return undefined;
  }
  return `${at}: ${JSON.stringify(one)} and ${JSON.stringify(other)}`;
}

function isNear(one: unknown, other: unknown): boolean {
  if (typeof one !== 'number' || typeof other !== 'number') return false;
  return Math.abs(one - other) <= TOLERANCE * Math.max(Math.abs(one), Math.abs(other));
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
