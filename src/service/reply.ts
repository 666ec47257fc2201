import type { Endpoint } from '../catalogue/entry.ts';
import type { CanonicalRecord } from '../catalogue/record.ts';
import { Refusal } from './errors.ts';
import type { ServiceResponse } from './exchange.ts';
import { success } from './exchange.ts';
import type { Question } from './question.ts';
import type { FullSettings } from './settings.ts';
import type { ChainNames, Found, Source } from './source.ts';

/** Finds what a question asks for and writes the answer in the endpoint's shape. */
export async function replyTo(
  of: Endpoint,
  question: Question,
  source: Source,
  settings: FullSettings,
): Promise<ServiceResponse> {
  const { reply } = of;
  const find = (offset: number, count: number) =>
    Promise.resolve(source.find({ ...question.query, offset, count }));
  if (question.limit === undefined) {
    const { records } = await find(0, Number.MAX_SAFE_INTEGER);
    return success(wireRecords(of, records));
  }
  const cap = reply.shape === 'paged' && of.axis === 'primary' ? settings.recordCap : Infinity;
  const { page, found } = await pageOf({ ...question, limit: question.limit }, cap, settings, find);
  const list = wireRecords(of, found.records);
  if (reply.shape === 'bare') return success(list);
  return success([
    {
      // A list without any record says page 0 of 0, which tells it from a page beyond the end.
      page: String(found.total === 0 ? 0 : page),
      limit: String(question.limit),
      totalPage: String(Math.ceil(Math.min(found.total, cap) / question.limit)),
      ...extrasOf(reply.extras ?? [], source.names[of.axis], found.total),
      [reply.list]: list,
    },
  ]);
}

/** The page asked for, as far as the record cap lets it be seen. */
async function pageOf(
  asked: { readonly page: number; readonly limit: number },
  cap: number,
  settings: FullSettings,
  find: (offset: number, count: number) => Promise<Found>,
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

/** What a paged reply says beside its paging: the chain's names, and totals of all records. */
function extrasOf(
  names: readonly string[],
  chain: ChainNames,
  total: number,
): Record<string, string> {
  const known: Record<string, string> = {
    chainFullName: chain.fullName,
    chainShortName: chain.shortName,
  };
  const textOf = (name: string): string =>
    known[name] ?? (name.startsWith('total') ? String(total) : '');
  return Object.fromEntries(names.map((name) => [name, textOf(name)]));
}

/** Records by the documented names, in documented order; what is NULL is served as "". */
function wireRecords(of: Endpoint, records: readonly CanonicalRecord[]): WireObject[] {
  return records.map((record) => {
    const wire: Record<string, string | boolean> = {};
    for (const field of of.fields) wire[field.wire] = record[field.column] ?? '';
    return wire;
  });
}

type WireObject = Readonly<Record<string, string | boolean>>;
