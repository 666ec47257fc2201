import type { Clock } from './clock.ts';
import { type Entry, type ListKind, type Lists, listAt, type Params } from './lists.ts';
import { Random } from './random.ts';

/**
 * The service of the interface, and what may go wrong with it. Chance is drawn for each target and
 * its n-th repetition, so that it does not depend on the order in which requests arrive.
 */

/** A request as the service reads it. */
export interface Ask {
  readonly kind: ListKind;
  readonly params: Params;
  readonly keys: readonly string[];
  /** Both included. */
  readonly from: number;
  readonly to: number;
  readonly page: number;
  readonly limit: number;
  /** How often exactly this was asked before. */
  readonly repetition: number;
  /** Requests to this service before this one, of every kind. */
  readonly before: number;
  /** On the clock of the service, since it began. */
  readonly sinceMs: number;
  /** Drawn from by faults; the same for the same target and repetition. */
  readonly random: Random;
}

/** A reply before it is written; for bare lists the records alone count. */
export interface Answer {
  readonly page: number | '';
  readonly limit: number | '';
  readonly totalPage: number | '';
  readonly total?: number;
  readonly records: readonly Entry[];
}

/** One departure from the interface. Every step gets what the honest service would do. */
export interface Fault {
  readonly name: string;
  /** How the service reads the request. */
  request?(ask: Ask): Ask;
  /** Which records it finds, in order of height, newest first. */
  records?(ask: Ask, records: readonly Entry[]): readonly Entry[];
  /** The position of the page's first record. */
  offset?(ask: Ask, offset: number): number;
  answered?(ask: Ask, answer: Answer, entries: readonly Entry[]): Answer;
  /** The response in place of the written answer; undefined where it is written as usual. */
  written?(ask: Ask, answer: Answer): Wire | undefined;
}

export const HONEST: Fault = { name: 'honest' };

/** All of them at once, in this order. */
export function together(name: string, ...faults: readonly Fault[]): Fault {
  return {
    name,
    request: (ask) => faults.reduce((now, fault) => fault.request?.(now) ?? now, ask),
    records: (ask, list) => faults.reduce((now, fault) => fault.records?.(ask, now) ?? now, list),
    offset: (ask, offset) => faults.reduce((now, fault) => fault.offset?.(ask, now) ?? now, offset),
    answered: (ask, answer, entries) =>
      faults.reduce((now, fault) => fault.answered?.(ask, now, entries) ?? now, answer),
    written: (ask, answer) =>
      faults.reduce<Wire | undefined>(
        (now, fault) => now ?? fault.written?.(ask, answer),
        undefined,
      ),
  };
}

export interface Wire {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface Hostile {
  /** Requests so far, by path. */
  readonly requests: ReadonlyMap<string, number>;
  /** `target` is the path with its query. */
  answer(target: string): Promise<Wire>;
}

export interface HostileOptions {
  readonly lists: Lists;
  readonly fault: Fault;
  readonly seed: number;
  readonly clock: Clock;
  /** Of each answer, in milliseconds on the clock; between half of it and one and a half. */
  readonly latencyMs: number;
  /** After this many requests the service refuses the key for good; unbounded where absent. */
  readonly maxRequests?: number;
  /** Gets each list that was asked for and the answer, in one line. */
  readonly trace?: Trace;
}

export type Trace = (line: string) => void;

const PREFIX = '/api/v5/';

export function hostileServer(options: HostileOptions): Hostile {
  const { lists, fault, seed, clock, latencyMs, maxRequests = Infinity, trace } = options;
  const requests = new Map<string, number>();
  const repetitions = new Map<string, number>();
  const startMs = clock.now();
  let before = 0;

  const answer = async (target: string): Promise<Wire> => {
    const url = new URL(target, 'http://hostile');
    const path = url.pathname.slice(PREFIX.length);
    const kind = listAt(path);
    const repetition = repetitions.get(target) ?? 0;
    repetitions.set(target, repetition + 1);
    requests.set(path, (requests.get(path) ?? 0) + 1);
    const random = Random.keyed(seed, target, repetition);
    const params = Object.fromEntries(url.searchParams);
    const sinceMs = clock.now() - startMs;
    const read = readAsk(kind, params, lists);
    if (typeof read === 'string') return refusal(read);
    // 50030 is the code that takes a key's access away.
    if (before >= maxRequests) return refusal('50030');
    const ask = { ...read, repetition, before, sinceMs, random };
    before += 1;
    const reply = answerOf(lists, fault, ask);
    trace?.(traceLine(ask, reply));
    const wire = fault.written?.(ask, reply) ?? wireOf(envelope(kind, reply));
    await clock.sleep(latencyMs * (0.5 + random.next()));
    return wire;
  };
  return { requests, answer };
}

function traceLine({ kind, params, keys, from, to, page }: Ask, answer: Answer): string {
  const { records, totalPage } = answer;
  const operation = kind.path.split('/').at(-1);
  const [first = ''] = keys;
  const others = keys.length > 1 ? ` and ${keys.length - 1} more` : '';
  const filter = `${first.slice(0, 8)}${others} ${params['protocolType'] ?? ''} ${from}-${to}`;
  const heights = `${records[0]?.height ?? ''}-${records.at(-1)?.height ?? ''}`;
  const got = `${records.length} records at ${heights}, ${totalPage} pages`;
  return `${operation} ${filter} page ${page} of ${params['limit'] ?? ''}: ${got}`;
}

function answerOf(lists: Lists, fault: Fault, request: Ask): Answer {
  const ask = fault.request?.(request) ?? request;
  const honest = honestRecords(lists, ask);
  const entries = fault.records?.(ask, honest) ?? honest;
  const { page, limit } = ask;
  const first = (page - 1) * limit;
  const offset = Math.max(0, fault.offset?.(ask, first) ?? first);
  const records = entries.slice(offset, offset + limit);
  const total = ask.kind.total === undefined ? {} : { total: entries.length };
  const totalPage = Math.ceil(entries.length / limit);
  const answer = { page, limit, totalPage, records, ...total };
  return fault.answered?.(ask, answer, entries) ?? answer;
}

/** What an honest service finds, newest first. */
export function honestRecords(lists: Lists, ask: Ask): readonly Entry[] {
  const { kind, keys, from, to, params } = ask;
  const side = params['isFromOrTo'];
  const isKeyed = kind.keyParam !== undefined;
  const all = isKeyed ? lists.ofKeys(kind, params, keys) : lists.entries(kind, params);
  const entries: Entry[] = [];
  // Entries are in order of height, so that the range is one stretch of them.
  for (let at = firstAt(all, from); at < all.length; at += 1) {
    const entry = all[at];
    if (entry === undefined || entry.height > to) break;
    if (side === undefined || keys.includes(String(entry.wire[side]))) entries.push(entry);
  }
  return entries.reverse();
}

/** Index of the first entry at a height or above it. */
function firstAt(entries: readonly Entry[], height: number): number {
  let low = 0;
  let high = entries.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((entries[middle]?.height ?? 0) < height) low = middle + 1;
    else high = middle;
  }
  return low;
}

type Read = Omit<Ask, 'repetition' | 'before' | 'sinceMs' | 'random'>;

/** The request, or why it is refused. */
function readAsk(kind: ListKind, params: Params, { chain }: Lists): Read | string {
  const keys = kind.keyParam === undefined ? [''] : (params[kind.keyParam] ?? '').split(',');
  const number = (name: string, otherwise: number): number => Number(params[name] ?? otherwise);
  const head = kind.chain === 'MAINCHAIN' ? chain.head : chain.zoneHead;
  const isByHeight = !kind.isRanged && params['height'] !== undefined;
  const from = isByHeight ? number('height', 0) : number('startBlockHeight', 0);
  const to = isByHeight ? from : number('endBlockHeight', head);
  const page = number('page', 1);
  const limit = Math.min(number('limit', 20), kind.pageMax);
  if (![from, to, page, limit].every(Number.isInteger) || page < 1 || limit < 1) return '50036';
  return { kind, params, keys, from, to, page, limit };
}

function refusal(code: string): Wire {
  return wireOf({ code, msg: 'refused', data: [] });
}

export function wireOf(body: object, status = 200, more: Wire['headers'] = {}): Wire {
  const headers = { 'content-type': 'application/json', ...more };
  return { status, headers, body: JSON.stringify(body) };
}

function envelope({ list, total: totalName }: ListKind, answer: Answer) {
  const { page, limit, totalPage, total, records } = answer;
  const wires = records.map(({ wire }) => wire);
  if (list === undefined) return { code: '0', msg: '', data: wires };
  const paging = { page: String(page), limit: String(limit), totalPage: String(totalPage) };
  const counted = totalName === undefined ? {} : { [totalName]: String(total ?? '') };
  const data = [{ ...paging, ...counted, [list]: wires }];
  return { code: '0', msg: '', data };
}
