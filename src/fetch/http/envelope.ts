import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../catalogue/entry.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import type { CodeClass } from '../../pipeline/source-settings.ts';
import type { CodeTable } from './codes.ts';
import type { HttpResponse } from './transport.ts';

/** What a successful reply carries, whichever shape its endpoint has. */
export interface Reply {
  readonly records: readonly WireRecord[];
  /** As echoed; absent where the reply does not carry them. */
  readonly page?: number;
  readonly limit?: number;
  readonly totalPage?: number;
  /** How many records the whole list has, under whichever name the endpoint says it. */
  readonly total?: number;
  /** Everything else beside the list, by its name on the wire. */
  readonly extras: Readonly<Record<string, unknown>>;
}

/** Why a response is no reply. */
export interface RefusedReply {
  readonly outcome: CodeClass;
  /** The service's code, or a name of ours where it sent none that counts. */
  readonly code: string;
  readonly message: string;
  /** How long the service asks to be left alone. */
  readonly retryAfterMs?: number;
}

export type Outcome = { readonly outcome: 'reply'; readonly reply: Reply } | RefusedReply;

export const EMPTY_REPLY: Reply = { records: [], extras: {} };

/** Code "0" with a bare empty list where an object was due: throttling that does not say so. */
const SILENT_EMPTY = 'silent-empty';

/**
 * What a response means: `code` first, then `data`. HTTP 429, and 503 with Retry-After, throttle
 * whatever the body says. Only code "0" is success; unknown codes are judged by the HTTP status.
 * `nowMs` dates a Retry-After given as a date where the response carries no Date of its own.
 */
export function openEnvelope(
  endpoint: Endpoint,
  response: HttpResponse,
  codes: CodeTable,
  nowMs?: number,
): Outcome {
  const { status } = response;
  const retryAfterMs = retryAfter(response.headers, nowMs);
  const body = parsed(response.body);
  const code = isObject(body) ? codeIn(body) : undefined;
  const said = isObject(body) && typeof body['msg'] === 'string' ? body['msg'] : '';
  const refused = (outcome: CodeClass, name: string, message: string): RefusedReply => ({
    outcome,
    code: name,
    message,
    ...(outcome === 'throttle' && retryAfterMs !== undefined ? { retryAfterMs } : {}),
  });

  if (status === 429 || (status === 503 && retryAfterMs !== undefined)) {
    return refused('throttle', code ?? `http-${status}`, said);
  }
  if (code !== undefined && code !== '0') {
    const known = Object.hasOwn(codes, code) ? codes[code] : undefined;
    return refused(known ?? classOfStatus(status), code, said);
  }
  if (status < 200 || status > 299) return refused(classOfStatus(status), `http-${status}`, said);
  if (body === undefined) {
    return refused('transient', 'not-json', 'the body is not JSON, or only a part of it');
  }
  if (!isObject(body) || code === undefined) {
    return refused('transient', 'wrong-shape', 'the body has no code');
  }
  const opened = endpoint.reply.shape === 'bare' ? openBare(body['data']) : openPaged();
  return 'records' in opened ? { outcome: 'reply', reply: opened } : refused(...opened.refusal);

  function openPaged(): Reply | { readonly refusal: RefusalParts } {
    return openPage(endpoint, isObject(body) ? body['data'] : undefined);
  }
}

type RefusalParts = [outcome: CodeClass, code: string, message: string];

function wrongShape(message: string): { readonly refusal: RefusalParts } {
  return { refusal: ['transient', 'wrong-shape', message] };
}

function openBare(data: unknown): Reply | { readonly refusal: RefusalParts } {
  if (!isListOfRecords(data)) return wrongShape('data is not a list of records');
  return { records: data, extras: {} };
}

function openPage(endpoint: Endpoint, data: unknown): Reply | { readonly refusal: RefusalParts } {
  if (!Array.isArray(data)) return wrongShape('data is not a list');
  const [page, ...more] = data as readonly unknown[];
  if (data.length === 0) {
    return { refusal: ['throttle', SILENT_EMPTY, 'an empty answer without an empty list'] };
  }
  if (!isObject(page) || more.length > 0) return wrongShape('data is not one object');
  const names = listNames(endpoint);
  const [name, ...others] = names.filter((each) => page[each] !== undefined);
  const records = name === undefined ? undefined : page[name];
  if (!isListOfRecords(records)) return wrongShape(`there is no list ${names.join(' or ')}`);
  const other = others.find((each) => !isDeepStrictEqual(page[each], records));
  if (other !== undefined) {
    const message = `the lists ${name} and ${other} are both there and differ`;
    return { refusal: ['permanent', 'two-lists', message] };
  }
  const paging = pagingNames(endpoint);
  const reply: Record<string, number> = {};
  const extras: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(page)) {
    if (names.includes(key)) continue;
    const member = paging.get(key);
    if (member === undefined) extras[key] = value;
    else {
      const number = pagingNumber(value);
      if (number === undefined) return wrongShape(`${key} is not a whole number`);
      reply[member] = number;
    }
  }
  const missing = ['page', 'totalPage'].filter((each) => reply[each] === undefined);
  if (records.length > 0 && missing.length > 0) {
    return wrongShape(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`);
  }
  return { ...reply, records, extras };
}

/** Paging fields by their names on the wire. */
function pagingNames({ reply }: Endpoint): ReadonlyMap<string, string> {
  const total = (reply.shape === 'paged' ? reply.total : undefined) ?? 'total';
  const same = ['page', 'limit', 'totalPage'].map((name) => [name, name] as const);
  return new Map([...same, [total, 'total']]);
}

function listNames(endpoint: Endpoint): readonly string[] {
  const { reply } = endpoint;
  return reply.shape === 'paged' ? [reply.list, ...(reply.listAliases ?? [])] : [];
}

/** Empty text is this interface's null, and counts as zero here. */
function pagingNumber(value: unknown): number | undefined {
  const text = typeof value === 'number' ? String(value) : value;
  if (typeof text !== 'string' || !/^[0-9]*$/.test(text)) return undefined;
  const number = Number(text);
  return Number.isSafeInteger(number) ? number : undefined;
}

function classOfStatus(status: number): CodeClass {
  if (status === 401) return 'auth';
  if (status === 402 || status === 403) return 'stop';
  if (status === 429) return 'throttle';
  if (status === 408 || status >= 500) return 'transient';
  return 'permanent';
}

/** Error codes are tolerated as numbers; success is the text "0" alone. */
function codeIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const { code } = body as { readonly code?: unknown };
  if (typeof code === 'string' && code !== '') return code;
  return typeof code === 'number' && code !== 0 ? String(code) : undefined;
}

/** Seconds or an HTTP date, as milliseconds from the response; undefined where there is neither. */
function retryAfter(headers: HttpResponse['headers'], nowMs?: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^[0-9]+(\.[0-9]+)?$/.test(value)) return Number(value) * 1000;
  const served = Date.parse(headers['date'] ?? '');
  const since = Number.isNaN(served) ? nowMs : served;
  const until = Date.parse(value);
  return since === undefined || Number.isNaN(until) ? undefined : Math.max(0, until - since);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isListOfRecords(value: unknown): value is readonly WireRecord[] {
  return Array.isArray(value) && value.every(isObject);
}
