/**
 * Names in backticks, as BigQuery writes them, in the double quotes that DuckDB reads. Strings,
 * comments, dollar quotes and names in double quotes keep their backticks. A path in one pair of
 * backticks becomes several names, without the project that BigQuery's public tables lie in. A
 * backtick that is not closed, and an empty name, stay as they are, so that DuckDB refuses them.
 */
export function withoutBackticks(sql: string): string {
  if (!sql.includes('`')) return sql;
  let text = '';
  let at = 0;
  // Each step reads at least one character.
  while (at < sql.length) {
    const length = lengthOfToken(sql, at);
    const token = sql.slice(at, at + length);
    at += length;
    const names = token.startsWith('`') ? namesIn(token) : undefined;
    if (names === undefined) {
      text += token;
    } else if (names.length === 1 && names[0] === PROJECT && sql[at] === '.') {
      at += 1;
    } else {
      const shown = names.length > 1 && names[0] === PROJECT ? names.slice(1) : names;
      text += shown.map((name) => `"${name.replaceAll('"', '""')}"`).join('.');
    }
  }
  return text;
}

const PROJECT = 'bigquery-public-data';

/** Tokens that may hold backticks of their own; other characters are tokens of length 1. */
const TOKENS = [
  /** A word takes its `$` signs with it: they start no dollar quote. */
  /(?![eE]')[\p{L}_][\p{L}\p{N}_$]*/uy,
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y,
  /'(?:[^']|'')*'/y,
  /"(?:[^"]|"")*"/y,
  /--[^\r\n]*/y,
  /\$([\p{L}_][\p{L}\p{N}_]*)?\$[\s\S]*?\$\1\$/uy,
  /`[^`]*`/y,
];

/** Starts of tokens whose end is missing: they reach to the end of the text. */
const ENDLESS = /[eE]'|['"`]|\/\*|\$(?:[\p{L}_][\p{L}\p{N}_]*)?\$/uy;

function lengthOfToken(sql: string, at: number): number {
  if (sql.startsWith('/*', at)) return lengthOfComment(sql, at);
  for (const token of TOKENS) {
    token.lastIndex = at;
    const match = token.exec(sql);
    if (match !== null) return match[0].length;
  }
  ENDLESS.lastIndex = at;
  return ENDLESS.test(sql) ? sql.length - at : 1;
}

/** Comments between slashes and stars may hold others. */
function lengthOfComment(sql: string, start: number): number {
  const edge = /\/\*|\*\//g;
  edge.lastIndex = start;
  let depth = 0;
  for (let match = edge.exec(sql); match !== null; match = edge.exec(sql)) {
    depth += match[0] === '/*' ? 1 : -1;
    if (depth === 0) return edge.lastIndex - start;
  }
  return sql.length - start;
}

/** Undefined where a name is empty. */
function namesIn(token: string): readonly string[] | undefined {
  if (token.length < 2 || !token.endsWith('`')) return undefined;
  const names = token.slice(1, -1).split('.');
  return names.includes('') ? undefined : names;
}
