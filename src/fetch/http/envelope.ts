import { isDeepStrictEqual } from 'node:util';
import type { Endpoint } from '../../catalogue/entry.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import { ListedRecord } from '../../catalogue/record-text.ts';
import { listNames, parsedBody } from '../../catalogue/reply-text.ts';
import { isMapping } from '../../json-in.ts';
import type { CodeClass } from '../../pipeline/source-settings.ts';
import type { HttpResponse } from '../transport/transport.ts';
import type { PageReply } from './caller.ts';
import type { CodeTable } from './codes.ts';

/** A response that is not a successful reply. */
export interface RefusedReply {
  /** `lasting`: the service refuses this request for longer than throttling explains. */
  readonly outcome: CodeClass | 'lasting';
  /** The service's code, or a name given by windrow where there is none. */
  readonly code: string;
  readonly message: string;
  /** No table has the code, so its class `permanent` is a guess from the HTTP status. */
  readonly isUnknown?: true;
  /** The Retry-After of the response. */
  readonly retryAfterMs?: number;
}

export type Outcome = { readonly outcome: 'reply'; readonly reply: PageReply } | RefusedReply;

export const EMPTY_REPLY: PageReply = { records: [] };

/**
 * Code "0" with an empty list or null in place of a page: throttling without a code for it, or the
 * way in which the service writes empty lists.
 */
export const SILENT_EMPTY = 'silent-empty';

/**
 * Classifies a response, by `code` first and then by `data`. HTTP 429, and 503 with Retry-After,
 * count as throttling whatever the body is. Only code "0" is success; unknown codes are classified
 * by the HTTP status. `nowMs` is the base of a Retry-After date where the response has no Date
 * header.
 */
export function openEnvelope(
  endpoint: Endpoint,
  response: HttpResponse,
  codes: CodeTable,
  nowMs?: number,
): Outcome {
  const { status } = response;
  const waitMs = retryAfterMs(response.headers, nowMs);
  const body = parsed(endpoint, response.body);
  const code = isMapping(body) ? codeIn(body) : undefined;
  const said = isMapping(body) && typeof body['msg'] === 'string' ? body['msg'] : '';
  const refused = (refusal: RefusedReply): RefusedReply => {
    const isTimed = refusal.outcome === 'throttle' && waitMs !== undefined;
    return isTimed ? { ...refusal, retryAfterMs: waitMs } : refusal;
  };

  if (status === 429 || (status === 503 && waitMs !== undefined)) {
    return refused({ outcome: 'throttle', code: code ?? `http-${status}`, message: said });
  }
  if (code !== undefined && code !== '0') {
    return refusedAs(code);
  }
  if (status < 200 || status > 299) return refusedAs(`http-${status}`);
  if (body === undefined) {
    const message = 'the body is not JSON, or it is cut off';
    return { outcome: 'transient', code: 'not-json', message };
  }
  if (!isMapping(body) || code === undefined) return wrongShape('the body has no code');
  const opened = openData(endpoint, body['data']);
  return 'records' in opened ? { outcome: 'reply', reply: opened } : refused(opened);

  function refusedAs(name: string): RefusedReply {
    const code = [name, `http-${status}`].find((candidate) => Object.hasOwn(codes, candidate));
    const outcome = (code === undefined ? undefined : codes[code]) ?? classOfStatus(status);
    const isUnknown = code === undefined && outcome === 'permanent';
    const refusal = { outcome, code: name, message: said };
    return refused(isUnknown ? { ...refusal, isUnknown } : refusal);
  }
}

function wrongShape(message: string): RefusedReply {
  return { outcome: 'transient', code: 'wrong-shape', message };
}

const SILENT: RefusedReply = {
  outcome: 'throttle',
  code: SILENT_EMPTY,
  message: 'data is empty and has no page object',
};

function openData(endpoint: Endpoint, data: unknown): PageReply | RefusedReply {
  if (endpoint.reply.shape === 'paged') return openPage(endpoint, data);
  if (endpoint.reply.shape === 'bare') {
    if (data === null) return SILENT;
    if (!isListOfRecords(data)) return wrongShape('data is not a list of records');
    return { records: listed(endpoint, data) };
  }
  const [text, ...more]: readonly unknown[] = Array.isArray(data) ? data : [];
  return typeof text === 'string' && text !== '' && more.length === 0
    ? { records: [], text }
    : wrongShape('data is not one text');
}

function openPage(endpoint: Endpoint, data: unknown): PageReply | RefusedReply {
  if (data === null) return SILENT;
  if (!Array.isArray(data)) return wrongShape('data is not a list');
  const [page, ...more] = data as readonly unknown[];
  if (data.length === 0) return SILENT;
  if (!isMapping(page) || more.length > 0) return wrongShape('data is not one object');
  const names = listNames(endpoint);
  const [name, ...others] = names.filter((name) => page[name] !== undefined);
  const isNone = name !== undefined && page[name] === null && Number(page['totalPage']) === 0;
  const records = isNone ? [] : name === undefined ? undefined : page[name];
  if (!isListOfRecords(records)) return wrongShape(`the list ${names.join(' or ')} is missing`);
  const other = others.find((other) => !isDeepStrictEqual(page[other], records));
  if (other !== undefined) {
    const message = `the lists ${name} and ${other} differ`;
    return { outcome: 'permanent', code: 'two-lists', message };
  }
  const reply: Record<string, number> = {};
  for (const [member, name] of Object.entries(pagingNames(endpoint))) {
    if (page[name] === undefined) continue;
    const number = pagingNumber(page[name]);
    if (number === undefined) return wrongShape(`${name} is not a whole number`);
    reply[member] = number;
  }
  const missing = ['page', 'totalPage'].filter((member) => reply[member] === undefined);
  if (records.length > 0 && missing.length > 0) {
    return wrongShape(`${missing.join(' and ')} ${missing.length > 1 ? 'are' : 'is'} missing`);
  }
  return { ...reply, records: listed(endpoint, records) };
}

/** The names of paging fields on the wire. */
function pagingNames({ reply }: Endpoint): Readonly<Record<string, string>> {
  const total = (reply.shape === 'paged' ? reply.total : undefined) ?? 'total';
  return { page: 'page', limit: 'limit', totalPage: 'totalPage', total };
}

/** The interface writes null as an empty string, which counts as zero here. */
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

/** Error codes may be numbers; success is only the string "0". */
function codeIn(body: Readonly<Record<string, unknown>>): string | undefined {
  const { code } = body as { readonly code?: unknown };
  if (typeof code === 'string' && code !== '') return code;
  return typeof code === 'number' && code !== 0 ? String(code) : undefined;
}

/**
 * Retry-After, in seconds or as an HTTP date, in milliseconds from the response; undefined where
 * the header is missing or unreadable.
 */
export function retryAfterMs(
  headers: Readonly<{ 'retry-after'?: string | undefined; date?: string | undefined }>,
  nowMs?: number,
): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined || value === '') return undefined;
  if (/^[0-9]+(\.[0-9]+)?$/.test(value)) return Number(value) * 1000;
  const served = Date.parse(headers.date ?? '');
  const since = Number.isNaN(served) ? nowMs : served;
  const until = Date.parse(value);
  return since === undefined || Number.isNaN(until) ? undefined : Math.max(0, until - since);
}

function parsed(endpoint: Endpoint, text: string): unknown {
  try {
    return parsedBody(endpoint, text);
  } catch {
    return undefined;
  }
}

function isListOfRecords(value: unknown): value is readonly (ListedRecord | WireRecord)[] {
  return Array.isArray(value) && value.every(isMapping);
}

function listed(
  endpoint: Endpoint,
  records: readonly (ListedRecord | WireRecord)[],
): readonly ListedRecord[] {
  return records.map((record) =>
    record instanceof ListedRecord ? record : ListedRecord.fromWire(endpoint, record),
  );
}
