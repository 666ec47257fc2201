/**
 * A value as canonical JSON (RFC 8785): members sorted by name, no blanks. Absent members are left
 * out. Numbers must be safe integers, whose digits need no rule.
 */
export function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(',')}}`;
}

/** A file of canonical JSON, which ends with a line feed. */
export function canonicalFile(value: unknown): string {
  return `${canonicalJson(value)}\n`;
}

/** The value of such a file; undefined for all other bytes, also those of an equal value. */
export function parsedCanonical(bytes: Buffer): unknown {
  try {
    const value: unknown = JSON.parse(bytes.toString());
    return bytes.equals(Buffer.from(canonicalFile(value))) ? value : undefined;
  } catch {
    return undefined;
  }
}
