import type { Endpoint } from './entry.ts';
import { parsedJson, type RecordsInText, recordsIn } from './records-in-text.ts';

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
  const name = names.find((each) => body.includes(`"${each}"`));
  if (name === undefined) return undefined;
  const begin = new RegExp(`"${name}"[ \\t\\n\\r]*:[ \\t\\n\\r]*\\[[ \\t\\n\\r]*`).exec(body);
  if (begin === null) return undefined;
  const start = begin.index + begin[0].length;
  const listed = listedIn(endpoint, body, start);
  if (listed === undefined) return undefined;
  // The rest is the body with an empty list. If it is JSON and names the list once, without
  // escapes, then the records belong between the brackets.
  const rest = body.slice(0, start) + body.slice(listed.end);
  const mentions = names.reduce((sum, each) => sum + rest.split(`"${each}"`).length - 1, 0);
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
