import type { Endpoint, ReplyShape } from '../../../src/catalogue/entry.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import { Refusal } from '../protocol/errors.ts';
import { type ServiceResponse, success } from '../protocol/exchange.ts';
import { valuesIn } from '../protocol/record-values.ts';
import type { ChainNames, Found, Naming, Source } from '../protocol/source.ts';
import type { FullSettings } from '../settings/settings.ts';
import { yearsBound } from './depth.ts';
import { checkFields } from './missing-records.ts';
import type { Question } from './question.ts';

/** The record cap of the list, independent of `totalPage`. */
export const RECORD_CAP_HEADER = 'x-record-cap';

/** Finds the records that a question selects and writes the answer in the endpoint's shape. */
export async function replyTo(
  entry: Endpoint,
  question: Question,
  source: Source,
  settings: FullSettings,
): Promise<ServiceResponse> {
  const { reply } = entry;
  const find = await finder(entry, question, source);
  if (question.limit === undefined) {
    const { records } = await find(0, Number.MAX_SAFE_INTEGER);
    const { keys } = question.selection;
    const ordered = keys === undefined ? records : inOrderAsked(records, keys);
    return success(wireRecords(entry, ordered));
  }
  const cap = reply.shape === 'paged' && entry.axis === 'primary' ? settings.recordCap : Infinity;
  const { page, part } = await pageOf({ ...question, limit: question.limit }, cap, settings, find);
  const list = wireRecords(entry, part.records);
  if (reply.shape !== 'paged') return success(list);
  const headers = Number.isFinite(cap) ? { [RECORD_CAP_HEADER]: String(cap) } : {};
  const data = [
    {
      // A list without records reports page 0 of 0, unlike a page beyond the end.
      page: String(part.total === 0 ? 0 : page),
      limit: String(question.limit),
      totalPage: String(Math.ceil(Math.min(part.total, cap) / question.limit)),
      ...extrasOf(reply, source.names[entry.axis], part.total),
      [reply.list]: list,
    },
  ];
  return success(data, headers);
}

type Find = (offset: number, count: number) => Promise<Found>;

/** Clients learn the head from the newest block alone, even if other data about it is missing. */
function isForHead(entry: Endpoint, { page, limit }: Question): boolean {
  return entry.servesHead === true && page === 1 && limit === 1;
}

/** Finds parts of the question's records, within the depth limit of the list. */
async function finder(entry: Endpoint, question: Question, source: Source): Promise<Find> {
  const { selection } = question;
  const { depthRecords = Infinity } = entry.limits;
  const bounds = [...selection.bounds, ...(await yearsBound(entry, selection, source))];
  const pending = question.includesPending ? (source.pending?.(selection) ?? []) : [];
  return async (offset, count) => {
    const within = Math.max(0, Math.min(count, depthRecords - offset));
    const newest = pending.slice(offset, offset + within);
    const { total, records } = await source.find({
      ...selection,
      bounds,
      offset: Math.max(0, offset - pending.length),
      count: within - newest.length,
    });
    if (source.lacks !== undefined && !isForHead(entry, question)) checkFields(entry, records);
    return {
      total: Math.min(pending.length + total, depthRecords),
      records: [...newest, ...records],
    };
  };
}

/** The requested page, within the record cap. */
async function pageOf(
  paging: { readonly page: number; readonly limit: number },
  cap: number,
  settings: FullSettings,
  find: Find,
): Promise<{ page: number; part: Found }> {
  const { page, limit } = paging;
  const offset = (page - 1) * limit;
  const part = await find(offset, Math.max(0, Math.min(limit, cap - offset)));
  if (offset < cap || part.total <= cap || settings.capStyle === 'empty') return { page, part };
  if (settings.capStyle === 'error') {
    throw new Refusal('beyond-cap', `the list ends after ${cap} records`);
  }
  const lastPage = Math.ceil(cap / limit);
  const lastOffset = (lastPage - 1) * limit;
  return { page: lastPage, part: await find(lastOffset, cap - lastOffset) };
}

/** Look-ups answer key by key, in the order of the request. Records of one key keep their order. */
function inOrderAsked(
  records: readonly CanonicalRecord[],
  { columns, values }: Naming,
): readonly CanonicalRecord[] {
  const places = new Map(values.map((value, place) => [value, place]));
  const placeOf = (record: CanonicalRecord): number => {
    const named = columns.flatMap((column) => valuesIn(record[column] ?? null, true));
    return Math.min(...named.map((value) => places.get(value) ?? Infinity));
  };
  return records.toSorted((a, b) => placeOf(a) - placeOf(b));
}

/**
 * Fields of a paged reply besides its paging: the chain's names and the total number of records.
 */
function extrasOf(
  { extras = [], total }: Extract<ReplyShape, { shape: 'paged' }>,
  chain: ChainNames,
  records: number,
): Record<string, string> {
  const fields: Record<string, string> = {
    chainFullName: chain.fullName,
    chainShortName: chain.shortName,
    ...(total === undefined ? {} : { [total]: String(records) }),
  };
  return Object.fromEntries(extras.map((name) => [name, fields[name] ?? '']));
}

/**
 * Records with the documented names in documented order. NULL becomes "", except for flags: a flag
 * cannot be a text, so an unknown one is left out.
 */
function wireRecords(entry: Endpoint, records: readonly CanonicalRecord[]): WireObject[] {
  return records.map((record) => {
    const wire: Record<string, string | boolean> = {};
    for (const { wire: name, column, kind } of entry.fields) {
      const value = record[column] ?? undefined;
      if (value !== undefined) wire[name] = value;
      else if (kind.wire !== 'boolean') wire[name] = '';
    }
    return wire;
  });
}

type WireObject = Readonly<Record<string, string | boolean>>;
