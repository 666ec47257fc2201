import type { ServiceRequest, ServiceResponse } from '../../service/src/protocol/exchange.ts';
import { JSON_TYPE } from '../../service/src/protocol/exchange.ts';
import type { Chance } from './chance.ts';
import { queryOf, withQuery } from './limited.ts';
import type { Bent } from './small-source.ts';

/**
 * What stands between the pipeline and an honest service: throttling that does not say so, errors,
 * broken bodies, smaller pages, other pages, other records. Every fault is one that an explorer or
 * a cache in front of it was seen to have, or would be hard to tell from one.
 */

/** Faults of single answers, with how often they happen. */
export type Slip =
  /** Code "0" and no data, several answers in a row. */
  | 'silent'
  /** Throttled, busy, or cut off: another attempt may succeed. */
  | 'error'
  /** Refused for good. */
  | 'refusal'
  /** The page before the one asked for, under its number. */
  | 'repeated page'
  /** A page next to the one asked for, and it says so. */
  | 'other page'
  /** Smaller pages than asked for, and they say so. */
  | 'other limit'
  /** A page count that is one off. */
  | 'other count'
  /** A page that is not the last, and lacks a record. */
  | 'short page'
  /** An explicit empty list where there are records. */
  | 'false empty';

/** What is wrong with every answer of a run. */
export interface Lies extends Bent {
  /** Page sizes above it are made smaller, and answers say so. */
  readonly largestPage?: number;
  /** Every page is the first one, under the number that was asked for. */
  readonly isStuck?: true;
  /** A share of the requests is answered by other back ends than the first one. */
  readonly replicas?: { readonly others: number; readonly share: number };
}

export interface Faults {
  readonly slips: readonly { readonly slip: Slip; readonly probability: number }[];
  readonly lies: Lies;
}

export const NO_FAULTS: Faults = { slips: [], lies: {} };

type Answer = (request: ServiceRequest) => Promise<ServiceResponse>;

/** Answers that get through between two bursts of silence: a proof of absence takes up to three. */
const CLEAR_ANSWERS = 6;

export class FaultyWire {
  readonly #answer: Answer;
  readonly #chance: Chance;
  readonly #counts: Map<string, number>;
  #faults: Faults = NO_FAULTS;
  #silentLeft = 0;
  #clearLeft = 0;
  /** The back end that answers the request under way; 0 is the first one. */
  replica = 0;

  /** `counts` is told of every fault that happened. */
  constructor(answer: Answer, chance: Chance, counts: Map<string, number>) {
    this.#answer = answer;
    this.#chance = chance;
    this.#counts = counts;
  }

  get faults(): Faults {
    return this.#faults;
  }

  set faults(faults: Faults) {
    this.#faults = faults;
    this.#silentLeft = 0;
    this.#clearLeft = 0;
  }

  async answer(request: ServiceRequest): Promise<ServiceResponse> {
    const { slips, lies } = this.#faults;
    this.#chooseReplica(lies);
    const told =
      slips.length === 0 && Object.keys(lies).length === 0 ? request : this.#lied(request);
    if (this.#silentLeft > 0) {
      this.#silentLeft -= 1;
      return SILENT;
    }
    if (this.#clearLeft > 0) this.#clearLeft -= 1;
    for (const { slip, probability } of slips) {
      if (!this.#chance.is(probability)) continue;
      const slipped = await this.#slipped(slip, told);
      if (slipped === undefined) continue;
      // Where no page count says what is missing, one slip must not follow the other.
      const isUncounted = slipped.status === 200 && !slipped.body.includes('"totalPage"');
      const isContent = isUncounted && !ERRORS.includes(slipped);
      if (isContent && this.#clearLeft > 0) continue;
      if (isContent) this.#clearLeft = CLEAR_ANSWERS + this.#silentLeft;
      this.#count(isContent && slip === 'other limit' ? 'cut page without a count' : slip);
      return slipped;
    }
    return lies.isStuck === true ? this.#stuck(told) : this.#answer(told);
  }

  #chooseReplica({ replicas }: Lies): void {
    const isOther = replicas !== undefined && this.#chance.is(replicas.share);
    this.replica = isOther ? this.#chance.between(1, replicas.others) : 0;
    if (isOther) this.#count('other replica');
  }

  async #stuck(request: ServiceRequest): Promise<ServiceResponse> {
    const query = queryOf(request);
    const page = Number(query.get('page') ?? 0);
    if (page < 2) return this.#answer(request);
    this.#count('stuck page');
    query.set('page', '1');
    return renumbered(await this.#answer(withQuery(request, query)), { page });
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  #lied(request: ServiceRequest): ServiceRequest {
    const { largestPage } = this.#faults.lies;
    const query = queryOf(request);
    const limit = Number(query.get('limit') ?? 0);
    if (largestPage !== undefined && limit > largestPage) {
      query.set('limit', String(largestPage));
      this.#count('clamped page size');
    }
    return withQuery(request, query);
  }

  async #slipped(slip: Slip, request: ServiceRequest): Promise<ServiceResponse | undefined> {
    const query = queryOf(request);
    const page = Number(query.get('page') ?? 0);
    const limit = Number(query.get('limit') ?? 0);
    const asking = (name: string, value: number): Promise<ServiceResponse> => {
      query.set(name, String(value));
      return this.#answer(withQuery(request, query));
    };
    switch (slip) {
      case 'silent':
        if (this.#clearLeft === 0) this.#silentLeft = this.#chance.between(0, 3);
        return SILENT;
      case 'error':
        return this.#chance.pick(ERRORS);
      case 'refusal':
        return failure(400, '50036');
      case 'repeated page':
        return repeatedPage(this.#answer, request);
      case 'other page':
        return page < 1
          ? undefined
          : asking('page', page + (page > 1 && this.#chance.is(0.5) ? -1 : 1));
      case 'other limit':
        return limit < 2 ? undefined : asking('limit', this.#chance.between(1, limit - 1));
      case 'other count': {
        const answer = await this.#answer(request);
        return renumbered(answer, { totalPageBy: this.#chance.is(0.5) ? 1 : -1 });
      }
      case 'short page':
        return shortened(await this.#answer(request), this.#chance);
      case 'false empty':
        return isHead(request) ? undefined : emptied(await this.#answer(request));
    }
  }
}

function failure(status: number, code: string): ServiceResponse {
  return json(status, JSON.stringify({ code, msg: 'no', data: [] }));
}

function json(status: number, body: string): ServiceResponse {
  return { status, headers: { 'content-type': JSON_TYPE }, body };
}

const SILENT = json(200, '{"code":"0","msg":"","data":[]}');

/** Each is worth another attempt. */
const ERRORS = [
  failure(429, '50011'),
  failure(200, '50011'),
  failure(503, '50001'),
  failure(500, '50026'),
  failure(200, '50013'),
  json(502, '<html>Bad gateway</html>'),
  json(200, '{"code":"0","msg":"","data":[{"page":"1","lim'),
  json(200, '{"msg":""}'),
];

/** The same answer with other paging fields; as it is where it has none, or lists nothing. */
function renumbered(
  answer: ServiceResponse,
  change: { readonly page?: number; readonly totalPageBy?: number },
): ServiceResponse {
  const body = JSON.parse(answer.body) as { code: string; data: Record<string, unknown>[] };
  const [data] = body.data;
  if (body.code !== '0' || data?.['totalPage'] === undefined || data['page'] === '0') {
    return answer;
  }
  const { page = data['page'], totalPageBy = 0 } = change;
  const totalPage = String(Math.max(0, Number(data['totalPage']) + totalPageBy));
  const changed = { ...data, page: String(page), totalPage };
  return { ...answer, body: JSON.stringify({ ...body, data: [changed] }) };
}

/** The page before the one asked for, under its number; undefined for the first one. */
export async function repeatedPage(
  answer: Answer,
  request: ServiceRequest,
): Promise<ServiceResponse | undefined> {
  const query = queryOf(request);
  const page = Number(query.get('page') ?? 0);
  if (page < 2) return undefined;
  query.set('page', String(page - 1));
  return renumbered(await answer(withQuery(request, query)), { page });
}

/** The answer without one of its records; undefined for the last page, which may have any number. */
function shortened(answer: ServiceResponse, chance: Chance): ServiceResponse | undefined {
  const body = JSON.parse(answer.body) as { data: Record<string, unknown>[] };
  const [data] = body.data;
  if (Number(data?.['page'] ?? 0) >= Number(data?.['totalPage'] ?? 0)) return undefined;
  const lists = Object.entries(data ?? {}).map(([name, value]) => {
    if (!Array.isArray(value)) return [name, value];
    const gone = chance.between(0, value.length - 1);
    return [name, value.filter((_, i) => i !== gone)];
  });
  return { ...answer, body: JSON.stringify({ ...body, data: [Object.fromEntries(lists)] }) };
}

/** Heads are asked for before any list; without them no run begins. */
function isHead(request: ServiceRequest): boolean {
  return request.target.includes('/block/block-list') && queryOf(request).get('limit') === '1';
}

/** The answer as it is where there is nothing; undefined where it is that, or counts no pages. */
function emptied(answer: ServiceResponse): ServiceResponse | undefined {
  const body = JSON.parse(answer.body) as { code: string; data: Record<string, unknown>[] };
  const [data] = body.data;
  if (body.code !== '0' || data?.['totalPage'] === undefined || data['totalPage'] === '0') {
    return undefined;
  }
  const entries = Object.entries(data).map(([name, value]) => {
    if (Array.isArray(value)) return [name, []];
    return [name, name === 'page' || name.startsWith('total') ? '0' : value];
  });
  return { ...answer, body: JSON.stringify({ ...body, data: [Object.fromEntries(entries)] }) };
}
