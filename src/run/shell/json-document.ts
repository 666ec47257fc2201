const SCHEMA_VERSION = 1;

/** A result as one JSON document, with the version of its shape. */
export function jsonDocument(content: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ schemaVersion: SCHEMA_VERSION, ...content }, (_key, value: unknown) =>
    value instanceof Map ? Object.fromEntries(value) : value,
  );
}
