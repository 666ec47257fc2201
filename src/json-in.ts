/** The value of a JSON text; undefined for other texts. A byte order mark is no part of it. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    return undefined;
  }
}
