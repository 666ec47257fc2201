/** Traces of 1,024 calls in calls have fewer; over 4,000 cannot be written as text again. */
const MOST_LEVELS = 2500;

/** The value of a JSON text, which may begin with a byte order mark; undefined for other texts. */
export function jsonIn(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text.trim());
    return hasLevels(value, MOST_LEVELS) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** Whether a value is nested in at most this many levels. */
function hasLevels(value: unknown, most: number): boolean {
  if (typeof value !== 'object' || value === null) return true;
  return most > 0 && Object.values(value).every((inner) => hasLevels(inner, most - 1));
}

/** An object of JSON or YAML, before its values are checked. */
export type Mapping = Readonly<Record<string, unknown>>;

export function isMapping(value: unknown): value is Mapping {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The mapping; an empty one for other values. */
export function asMapping(value: unknown): Mapping {
  return isMapping(value) ? value : {};
}

/** The list; an empty one for other values. */
export function asList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
