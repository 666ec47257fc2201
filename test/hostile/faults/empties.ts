import { type Answer, type Ask, type Fault, type Wire, wireOf } from '../server.ts';
import { percent } from './order.ts';

/** Answers without records, in exactly the form of a true "there is nothing". */

/** An empty list without the page object of the interface. */
const BARE = [[], null].map((data) => wireOf({ code: '0', msg: 'No transactions found', data }));

const isPaged = (ask: Ask): boolean => isList(ask) && ask.kind.list !== undefined;

/** True empty answers of one operation, or of all, have no page object. */
export function bareWhenEmpty(path?: string, [wire]: readonly Wire[] = BARE): Fault {
  return {
    name: `empty lists of ${path ?? 'all operations'} without a page: ${wire?.body}`,
    written: (ask, { records }) => {
      const isMeant = isPaged(ask) && (path === undefined || ask.kind.path === path);
      return isMeant && records.length === 0 ? wire : undefined;
    },
  };
}

/** The same with null in place of the list. */
export const nullWhenEmpty = (path?: string): Fault => bareWhenEmpty(path, BARE.slice(1));

/** Above the rate, answers are empty lists without a page; true empty answers have one. */
export function bareAboveRate(perSecond: number): Fault {
  const { answered, ...fault } = emptiesAboveRate(perSecond);
  return {
    name: `${fault.name}, without a page`,
    written: (ask, answer) =>
      answered?.(ask, answer, []) !== answer && isPaged(ask) ? BARE[0] : undefined,
  };
}

/** Requests of some keys or of one operation get this refusal for ever. */
export function refusedForEver(name: string, wire: Wire, isRefused: (ask: Ask) => boolean): Fault {
  return {
    name: `${name} refused for ever: ${wire.status} ${wire.body}`,
    written: (ask) => (isList(ask) && isRefused(ask) ? wire : undefined),
  };
}

/** Heads and block hashes are asked for before any list; without them no run begins. */
function isList({ kind, limit }: Ask): boolean {
  return !kind.path.includes('/block/block-') || (limit > 1 && kind.list !== undefined);
}

function empty({ limit }: Ask, answer: Answer): Answer {
  const total = answer.total === undefined ? {} : { total: 0 };
  return { page: 1, limit, totalPage: 0, records: [], ...total };
}

function emptyWhen(name: string, when: (ask: Ask) => boolean): Fault {
  return {
    name,
    answered: (ask, answer) => (isList(ask) && when(ask) ? empty(ask, answer) : answer),
  };
}

export function randomEmpties(share: number): Fault {
  return emptyWhen(`empty answers, ${percent(share)} of requests`, ({ random }) =>
    random.chance(share),
  );
}

/** What a service does that throttles in silence: above the rate, answers are empty. */
export function emptiesAboveRate(perSecond: number): Fault {
  const sent: number[] = [];
  return emptyWhen(`empty answers above ${perSecond} requests/s`, ({ sinceMs }) => {
    while ((sent[0] ?? sinceMs) <= sinceMs - 1000) sent.shift();
    sent.push(sinceMs);
    return sent.length > perSecond;
  });
}

/** All lists are empty for some time. */
export function emptyPeriod(fromMs: number, durationMs: number): Fault {
  return emptyWhen(
    `all lists empty from ${fromMs} ms for ${durationMs} ms`,
    ({ sinceMs }) => sinceMs >= fromMs && sinceMs < fromMs + durationMs,
  );
}

/** All lists are empty for `count` requests, whenever they come. */
export function emptyStretch(first: number, count: number): Fault {
  return emptyWhen(
    `all lists empty for requests ${first} to ${first + count - 1}`,
    ({ before }) => before >= first && before < first + count,
  );
}

/** One operation answers empty lists, and all others answer well. */
export function emptyOperation(path: string, share: number, first = 0): Fault {
  return emptyWhen(
    `${path} empty, ${percent(share)} of requests from number ${first} on`,
    ({ kind, random, before }) => kind.path === path && before >= first && random.chance(share),
  );
}

/** Operations whose `data` is the list itself answer `data: []`. */
export function bareEmpties(share: number): Fault {
  return emptyWhen(
    `bare lists empty, ${percent(share)} of requests`,
    ({ kind, random }) => kind.list === undefined && random.chance(share),
  );
}
