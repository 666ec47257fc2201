/** A name quoted for SQL. */
export function identifier(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

/** A text quoted for SQL. */
export function literal(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
