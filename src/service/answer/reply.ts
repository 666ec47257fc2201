import type { Endpoint, ReplyShape } from '../../catalogue/entry.ts';
import type { CanonicalRecord } from '../../catalogue/record.ts';
import { Refusal } from '../protocol/errors.ts';
import type { ServiceResponse } from '../protocol/exchange.ts';
import { success } from '../protocol/exchange.ts';
import { valuesIn } from '../protocol/record-values.ts';
import type { ChainNames, Found, Naming, Source } from '../protocol/source.ts';
import type { FullSettings } from '../settings/settings.ts';
import { yearsBound } from './depth.ts';
import { checkFields } from './missing-records.ts';
import type { Question } from './question.ts';

/** How many records the list reaches, whatever its `totalPage` may say. */
export const RECORD_CAP_HEADER = 'x-record-cap';

/** Finds what a question asks for and writes the answer in the endpoint's shape. */
export async function replyTo(
  of: Endpoint,
  question: Question,
  source: Source,
  settings: FullSettings,
): Promise<ServiceResponse> {
  const { reply } = of;
  const find = await finder(of, question, source);
  if (question.limit === undefined) {
    const { records } = await find(0, Number.MAX_SAFE_INTEGER);
    const { keys } = question.asked;
    const ordered = keys === undefined ? records : inOrderAsked(records, keys);
    return success(wireRecords(of, ordered));
  }
  const cap = reply.shape === 'paged' && of.axis === 'primary' ? settings.recordCap : Infinity;
  const { page, found } = await pageOf({ ...question, limit: question.limit }, cap, settings, find);
  const list = wireRecords(of, found.records);
  if (reply.shape !== 'paged') return success(list);
  const headers = Number.isFinite(cap) ? { [RECORD_CAP_HEADER]: String(cap) } : {};
  const data = [
    {
      // A list without any record says page 0 of 0, which tells it from a page beyond the end.
      page: String(found.total === 0 ? 0 : page),
      limit: String(question.limit),
      totalPage: String(Math.ceil(Math.min(found.total, cap) / question.limit)),
      ...extrasOf(reply, source.names[of.axis], found.total),
      [reply.list]: list,
    },
  ];
  return success(data, headers);
}

type Find = (offset: number, count: number) => Promise<Found>;

/** Clients learn the head from the newest block alone, whatever else is known of it. */
function isForHead(of: Endpoint, { page, limit }: Question): boolean {
  return of.servesHead === true && page === 1 && limit === 1;
}

/** Finds parts of what the question asks for, as deep as the list is. */
async function finder(of: Endpoint, question: Question, source: Source): Promise<Find> {
  const { asked } = question;
  const { depthRecords = Infinity } = of.limits;
  const bounds = [...asked.bounds, ...(await yearsBound(of, asked, source))];
  const pending = question.includesPending ? (source.pending?.(asked) ?? []) : [];
  return async (offset, count) => {
    const within = Math.max(0, Math.min(count, depthRecords - offset));
    const newest = pending.slice(offset, offset + within);
    const { total, records } = await source.find({
      ...asked,
      bounds,
      offset: Math.max(0, offset - pending.length),
      count: within - newest.length,
    });
    if (source.lacks !== undefined && !isForHead(of, question)) checkFields(of, records);
    return {
      total: Math.min(pending.length + total, depthRecords),
      records: [...newest, ...records],
    };
  };
}

/** The page asked for, as far as the record cap lets it be seen. */
async function pageOf(
  asked: { readonly page: number; readonly limit: number },
  cap: number,
  settings: FullSettings,
  find: Find,
): Promise<{ page: number; found: Found }> {
  const { page, limit } = asked;
  const offset = (page - 1) * limit;
  const found = await find(offset, Math.max(0, Math.min(limit, cap - offset)));
  if (offset < cap || found.total <= cap || settings.capStyle === 'empty') return { page, found };
  if (settings.capStyle === 'error') {
    throw new Refusal('beyond-cap', `the list ends after ${cap} records`);
  }
  const lastPage = Math.ceil(cap / limit);
  const lastOffset = (lastPage - 1) * limit;
  return { page: lastPage, found: await find(lastOffset, cap - lastOffset) };
}

/** Look-ups answer key by key. The records of one key keep their order among each other. */
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

/** What a paged reply says beside its paging: the chain's names, and the number of all records. */
function extrasOf(
  { extras = [], total }: Extract<ReplyShape, { shape: 'paged' }>,
  chain: ChainNames,
  records: number,
): Record<string, string> {
  const known: Record<string, string> = {
    chainFullName: chain.fullName,
    chainShortName: chain.shortName,
    ...(total === undefined ? {} : { [total]: String(records) }),
  };
  return Object.fromEntries(extras.map((name) => [name, known[name] ?? '']));
}

/**
 * Records by the documented names, in documented order. What is NULL is served as "", but for
 * flags: a text is none, so one that is not known is left out.
 */
function wireRecords(of: Endpoint, records: readonly CanonicalRecord[]): WireObject[] {
  return records.map((record) => {
    const wire: Record<string, string | boolean> = {};
    for (const { wire: name, column, kind } of of.fields) {
      const value = record[column] ?? undefined;
      if (value !== undefined) wire[name] = value;
      else if (kind.wire !== 'boolean') wire[name] = '';
    }
    return wire;
  });
}

type WireObject = Readonly<Record<string, string | boolean>>;
