import type { ServiceRequest, ServiceResponse } from '../../service/src/protocol/exchange.ts';
import { JSON_TYPE } from '../../service/src/protocol/exchange.ts';
import type { Found, Query, Source } from '../../service/src/protocol/source.ts';

/**
 * Limits as services may enforce them, around a service that has none: written apart from the
 * service's own, so that both sides of a limit are not the same code.
 */

/** What a service does with what lies beyond a limit: refuse it, show nothing, or show less. */
export const STYLES = ['error', 'empty', 'clamp'] as const;
export type Style = (typeof STYLES)[number];

export interface RequestLimits {
  readonly pageSize?: number;
  readonly keys?: number;
  /** Largest difference between the last block and the first. */
  readonly blockSpan?: number;
  /** Records of one query, over all pages. */
  readonly records?: number;
  /** Whether page counts tell only of what is shown, or of everything. */
  readonly counts?: 'shown' | 'all';
}

type Answer = (request: ServiceRequest) => Promise<ServiceResponse>;

/** A service with these limits, in this style. */
export function limited(answer: Answer, style: Style, limits: RequestLimits): Answer {
  return async (request) => {
    const query = queryOf(request);
    const beyond = exceeded(query, limits);
    if (beyond.length > 0) {
      if (style === 'error') return refusal('50025');
      if (style === 'empty')
        return nothing(await answer(withQuery(request, lowered(query, beyond))));
    }
    const call = withQuery(request, lowered(query, beyond));
    return limits.records === undefined ? answer(call) : capped(answer, call, style, limits);
  };
}

/** A parameter with the value that the limit allows. */
type Lowered = readonly [name: string, value: string];

function exceeded(query: URLSearchParams, limits: RequestLimits): Lowered[] {
  const { pageSize = Infinity, keys = Infinity, blockSpan = Infinity } = limits;
  const changes: Lowered[] = [];
  if (Number(query.get('limit') ?? 0) > pageSize) changes.push(['limit', String(pageSize)]);
  for (const name of ['address', 'txId']) {
    const values = query.get(name)?.split(',') ?? [];
    if (values.length > keys) changes.push([name, values.slice(0, keys).join(',')]);
  }
  const from = Number(query.get('startBlockHeight') ?? 0);
  const to = Number(query.get('endBlockHeight') ?? 0);
  if (to - from > blockSpan) changes.push(['endBlockHeight', String(from + blockSpan)]);
  return changes;
}

function lowered(query: URLSearchParams, values: readonly Lowered[]): URLSearchParams {
  const changed = new URLSearchParams(query);
  for (const [name, value] of values) changed.set(name, value);
  return changed;
}

/** Shows so many records of a query and no more, whatever its pages. */
async function capped(
  answer: Answer,
  request: ServiceRequest,
  style: Style,
  { records: cap = Infinity, counts = 'shown' }: RequestLimits,
): Promise<ServiceResponse> {
  const query = queryOf(request);
  const page = Number(query.get('page') ?? 1);
  const limit = Number(query.get('limit') ?? 20);
  const whole = await answer(request);
  const part = pageIn(whole);
  if (part === undefined) return whole;
  const single = pageIn(await answer(withQuery(request, lowered(query, [['limit', '1']]))));
  const total = Number(single?.page['totalPage'] ?? 0);
  const shown = counts === 'all' ? total : Math.min(total, cap);
  const totalPage = String(Math.ceil(shown / limit));
  const offset = (page - 1) * limit;
  if (offset < cap || total <= cap) {
    const list = part.list.slice(0, Math.max(0, cap - offset));
    return json({ ...part.page, totalPage, [part.name]: list });
  }
  if (style === 'error') return refusal('50037');
  if (style === 'empty') return json({ ...part.page, totalPage, [part.name]: [] });
  const last = Math.ceil(cap / limit);
  const again = pageIn(await answer(withQuery(request, lowered(query, [['page', String(last)]]))));
  const list = again?.list.slice(0, cap - (last - 1) * limit) ?? [];
  return json({ ...part.page, page: String(last), totalPage, [part.name]: list });
}

interface PageIn {
  readonly page: Readonly<Record<string, unknown>>;
  /** What its list is called. */
  readonly name: string;
  readonly list: readonly unknown[];
}

function pageIn({ body }: ServiceResponse): PageIn | undefined {
  const { code, data } = JSON.parse(body) as { code: string; data: Record<string, unknown>[] };
  const [page] = data;
  if (code !== '0' || page?.['totalPage'] === undefined) return undefined;
  const [name, list] = Object.entries(page).find(([, value]) => Array.isArray(value)) ?? [];
  return name === undefined ? undefined : { page, name, list: list as unknown[] };
}

/** The answer of a list that has no record: told as such where it has pages. */
function nothing(answer: ServiceResponse): ServiceResponse {
  const part = pageIn(answer);
  if (part === undefined) return { ...answer, body: '{"code":"0","msg":"","data":[]}' };
  return json({ ...part.page, page: '0', totalPage: '0', [part.name]: [] });
}

function json(page: Readonly<Record<string, unknown>>): ServiceResponse {
  const body = JSON.stringify({ code: '0', msg: '', data: [page] });
  return { status: 200, headers: { 'content-type': JSON_TYPE }, body };
}

function refusal(code: string): ServiceResponse {
  const body = JSON.stringify({ code, msg: 'beyond a limit', data: [] });
  return { status: 200, headers: { 'content-type': JSON_TYPE }, body };
}

export function queryOf({ target }: ServiceRequest): URLSearchParams {
  return new URLSearchParams(target.slice(target.indexOf('?') + 1));
}

export function withQuery(request: ServiceRequest, query: URLSearchParams): ServiceRequest {
  const path = request.target.slice(0, request.target.indexOf('?'));
  return { ...request, target: `${path}?${query}` };
}

export interface Depths {
  /** Of a dataset so many of the newest heights are shown. */
  readonly blocks?: number;
  /** Records are shown that are at most so much older than the newest of their keys. */
  readonly ms?: number;
  /** So many of the first records are shown. */
  readonly records?: number;
}

/** A source that shows its lists only so deep. */
export function shallow(source: Source, { blocks, ms, records = Infinity }: Depths): Source {
  return {
    ...source,
    find: async (query: Query): Promise<Found> => {
      const { interval, offset, count } = query;
      const oldest = blocks === undefined ? 0 : source.head('primary') - blocks + 1;
      const within = Math.max(0, Math.min(count, records - offset));
      const bounds = ms === undefined ? [] : await newerThan(source, query, ms);
      const page = await source.find({
        ...query,
        interval: { from: Math.max(oldest, interval.from), to: interval.to },
        bounds: [...query.bounds, ...bounds],
        count: within,
      });
      return { total: Math.min(page.total, records), records: page.records };
    },
  };
}

async function newerThan(source: Source, query: Query, ms: number): Promise<Query['bounds']> {
  const interval = { from: 0, to: source.head('primary') };
  const newest = await source.newest({ ...query, interval, filters: [], bounds: [] });
  const time = newest?.['block_time'];
  return typeof time === 'string'
    ? [{ column: 'block_time', least: String(Number(time) - ms) }]
    : [];
}
