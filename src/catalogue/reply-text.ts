import type { Endpoint } from './entry.ts';
import { memoised } from './memoised.ts';
import type { WireRecord } from './record.ts';
import { ListedRecord } from './record-text.ts';
import { SPACE, TextFormat } from './text-format.ts';

/** Bodies with fewer characters are parsed as a whole. */
const SHORT_BODY = 4096;

/**
 * The JSON value of a body, in which records may be texts (`record-text.ts`). Throws a SyntaxError
 * for a body that is not JSON.
 */
export function parsedBody(endpoint: Endpoint, body: string): unknown {
  const listed = body.length < SHORT_BODY ? undefined : withRecordTexts(endpoint, body);
  return listed ?? parsedJson(body);
}

/** The names that the list of an endpoint's records may have. */
export function listNames({ reply }: Endpoint): readonly string[] {
  return reply.shape === 'paged' ? [reply.list, ...(reply.listAliases ?? [])] : [];
}

/** undefined where the body must be parsed as a whole. */
function withRecordTexts(endpoint: Endpoint, body: string): unknown {
  const isBare = endpoint.reply.shape === 'bare';
  const names = isBare ? ['data'] : listNames(endpoint);
  const name = names.find((name) => body.includes(`"${name}"`));
  if (name === undefined) return undefined;
  const begin = new RegExp(`"${name}"[ \\t\\n\\r]*:[ \\t\\n\\r]*\\[[ \\t\\n\\r]*`).exec(body);
  if (begin === null) return undefined;
  const start = begin.index + begin[0].length;
  const listed = listedIn(endpoint, body, start);
  if (listed === undefined) return undefined;
  // The rest is the body with an empty list. If it is JSON and names the list once, without
  // escapes, then the records belong between the brackets.
  const rest = body.slice(0, start) + body.slice(listed.end);
  const mentions = names.reduce((sum, name) => sum + rest.split(`"${name}"`).length - 1, 0);
  if (mentions !== 1 || rest.includes('\\')) return undefined;
  const reply: unknown = JSON.parse(rest);
  const holder = isBare ? reply : pageIn(reply);
  if (!isEmptyList(holder, name)) return undefined;
  Object.assign(holder, { [name]: listed.records });
  return reply;
}

/** undefined, too, where a value has megabytes of escapes, which overflow regular expressions. */
function listedIn(endpoint: Endpoint, body: string, start: number): RecordsInText | undefined {
  try {
    return recordsIn(endpoint, body, start);
  } catch (error) {
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

function pageIn(reply: unknown): unknown {
  if (typeof reply !== 'object' || reply === null || !('data' in reply)) return undefined;
  return Array.isArray(reply.data) && reply.data.length === 1 ? reply.data[0] : undefined;
}

function isEmptyList(holder: unknown, name: string): holder is object {
  if (typeof holder !== 'object' || holder === null || !Object.hasOwn(holder, name)) return false;
  const list = (holder as Readonly<Record<string, unknown>>)[name];
  return Array.isArray(list) && list.length === 0;
}

/** Most formats of one endpoint: a service that shuffles its fields would make ever more. */
const MAX_FORMATS = 16;

/** The formats of an endpoint by names; undefined where records of these names have none. */
const formatsOf = memoised((_: Endpoint) => new Map<string, TextFormat | undefined>());

function formatOf(entry: Endpoint, names: readonly string[]): TextFormat | undefined {
  const formats = formatsOf(entry);
  const id = JSON.stringify(names);
  if (formats.has(id) || formats.size >= MAX_FORMATS) return formats.get(id);
  const format = TextFormat.forNames(entry, names);
  formats.set(id, format);
  return format;
}

/** The records of a list in a body, parsed where their spelling is unusual. */
export interface RecordsInText {
  readonly records: readonly (ListedRecord | WireRecord)[];
  /** The index after the last record. */
  readonly end: number;
}

const STRING = '"[^"\\\\\\x00-\\x1f]*(?:\\\\.[^"\\\\\\x00-\\x1f]*)*"';
const FLAT_MEMBER = `${STRING}${SPACE}:${SPACE}(?:${STRING}|[-+.0-9a-zA-Z]+)${SPACE}`;
/** One object without lists or objects in it. */
const FLAT = new RegExp(`\\{${SPACE}(?:${FLAT_MEMBER}(?:,${SPACE}${FLAT_MEMBER})*)?\\}`, 'y');
const BETWEEN = new RegExp(`${SPACE}(,?)${SPACE}`, 'y');

/**
 * Reads the records of a JSON list from `start`, behind its bracket. Records with another spelling
 * than the usual one are parsed. undefined where a record cannot be read on its own.
 */
export function recordsIn(entry: Endpoint, body: string, start: number): RecordsInText | undefined {
  const records: (ListedRecord | WireRecord)[] = [];
  let format: TextFormat | undefined;
  let at = start;
  for (;;) {
    const usual = format && ListedRecord.in(body, at, format);
    if (usual !== undefined) {
      records.push(usual);
      at += usual.text.length;
    } else {
      FLAT.lastIndex = at;
      const [flat] = FLAT.exec(body) ?? [];
      if (flat === undefined) return undefined;
      const parsed = parsedObject(flat);
      if (parsed === undefined) return undefined;
      format = formatOf(entry, Object.keys(parsed)) ?? format;
      records.push((format && ListedRecord.in(body, at, format)) ?? parsed);
      at += flat.length;
    }
    BETWEEN.lastIndex = at;
    const isLast = BETWEEN.exec(body)?.[1] === '';
    at = BETWEEN.lastIndex;
    if (isLast) return { records, end: at };
  }
}

function parsedObject(text: string): WireRecord | undefined {
  try {
    return parsedJson(text) as WireRecord;
  } catch {
    return undefined;
  }
}

/** Lists and objects of a reply are nested at most this deep; records are on the fifth level. */
const MOST_LEVELS = 32;

const TOKEN = /["[\]{}]|-?[0-9][-+.0-9eE]*/g;

/**
 * JSON.parse without loss: numbers that are not safe whole numbers become the text that was sent,
 * and so do values that are nested deeper than `MOST_LEVELS`, which recursive functions cannot
 * handle. Throws a SyntaxError.
 */
export function parsedJson(text: string): unknown {
  const parts: string[] = [];
  let done = 0;
  const quote = (from: number, to: number): void => {
    parts.push(text.slice(done, from), JSON.stringify(text.slice(from, to)));
    done = to;
  };
  let level = 0;
  let deepAt = 0;
  TOKEN.lastIndex = 0;
  for (let match = TOKEN.exec(text); match !== null; match = TOKEN.exec(text)) {
    const [token] = match;
    if (token === '"') TOKEN.lastIndex = endOfString(text, match.index);
    else if (token === '[' || token === '{') {
      level += 1;
      if (level === MOST_LEVELS + 1) deepAt = match.index;
    } else if (token === ']' || token === '}') {
      level -= 1;
      if (level === MOST_LEVELS) quote(deepAt, TOKEN.lastIndex);
    } else if (level <= MOST_LEVELS && isInexact(token)) quote(match.index, TOKEN.lastIndex);
  }
  return JSON.parse(done === 0 ? text : parts.join('') + text.slice(done));
}

/** The index behind the string that begins at `start`. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end >= 0; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text[end - 1 - slashes] === '\\') slashes += 1;
    if (slashes % 2 === 0) return end + 1;
  }
  return text.length;
}

const NUMBER = /^-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?$/;

function isInexact(token: string): boolean {
  const number = Number(token);
  const isExact = Number.isSafeInteger(number) && String(number) === token;
  return !isExact && NUMBER.test(token);
}
