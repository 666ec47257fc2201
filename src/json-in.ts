/** The value of a JSON text, which may begin with a byte order mark; undefined for other texts. */
export function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text.trim());
  } catch {
    return undefined;
  }
}
