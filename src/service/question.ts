import type { Axis, ColumnWord, Endpoint, Param } from '../catalogue/entry.ts';
import { equalsParams, paramOf, wordsOfDataset } from '../catalogue/index.ts';
import { address, addressesIn, hash, party } from '../catalogue/kind.ts';
import type { Interval } from '../plan/ranges.ts';
import { Refusal } from './errors.ts';
import type { FullSettings } from './settings.ts';
import type { Keys, Query, Source } from './source.ts';

/** What a request asks, understood and within all limits. */
export interface Question {
  readonly query: Omit<Query, 'offset' | 'count'>;
  /** From 1 up. */
  readonly page: number;
  /** Records a page; undefined where the endpoint has no pages, and all are listed. */
  readonly limit: number | undefined;
}

/** Page sizes of lists whose limits the interface does not show. */
const FALLBACK_PAGE_SIZE = { max: 100, default: 20 };
/** Every number of a request lies below 10^15, and so every product with a limit is exact. */
const WHOLE_NUMBER = /^(0|[1-9][0-9]{0,14})$/;
const HEX = /^0x[0-9a-f]+$/;

type Values = ReadonlyMap<string, string>;

/**
 * Reads a request's query for an endpoint. Throws a Refusal for what is missing, malformed, given
 * twice or beyond a limit: nothing is ever silently cut down to size. Unknown names are ignored,
 * and an empty value is the same as none.
 */
export function questionOf(
  of: Endpoint,
  search: string,
  source: Source,
  settings: FullSettings,
): Question {
  const values = valuesOf(of, search);
  checkChain(of, values, source);
  const size = pageSize(of, settings);
  const keys = keysOf(of, values);
  const query = {
    dataset: of.dataset,
    interval: intervalOf(of, values, source.head(of.axis), settings),
    equals: equalsParams(of).flatMap((param) => {
      const value = values.get(param.name);
      return value === undefined ? [] : [{ column: param.column.column, value }];
    }),
    oncePerKey: settings.perMatchListing,
    ...(keys === undefined ? {} : { keys }),
  };
  return {
    query: { ...query, equals: query.equals.map((filter) => canonicalFilter(of, filter)) },
    page: numberOf(values, paramOf(of, 'page'), { least: 1 }) ?? 1,
    limit:
      size &&
      (numberOf(values, paramOf(of, 'limit'), { least: 1, most: size.max }) ?? size.default),
  };
}

/** The documented parameters that have a value, or a documented default in its place. */
function valuesOf(of: Endpoint, search: string): Values {
  const sent = new URLSearchParams(search);
  const values = new Map<string, string>();
  for (const param of of.params) {
    const given = sent.getAll(param.name);
    if (given.length > 1) throw new Refusal('bad-parameter', `${param.name} is given twice`);
    const value = given[0] || param.default;
    if (value === undefined) {
      if (param.required) throw new Refusal('missing-parameter', `${param.name} is required`);
      continue;
    }
    if (param.values !== undefined && !param.values.includes(value)) {
      throw new Refusal('bad-parameter', `${param.name} must be ${param.values.join(' or ')}`);
    }
    values.set(param.name, value);
  }
  return values;
}

/** Lower case is accepted for the primary chain. */
function checkChain(of: Endpoint, values: Values, source: Source): void {
  const param = paramOf(of, 'chain');
  const { shortName } = source.names[of.axis];
  const asked = param && values.get(param.name);
  if (asked === undefined || asked === shortName) return;
  if (of.axis === 'primary' && asked === shortName.toLowerCase()) return;
  throw new Refusal('bad-parameter', `${param?.name} must be ${shortName}`);
}

function pageSize(
  of: Endpoint,
  settings: FullSettings,
): { max: number; default: number } | undefined {
  if (of.reply.shape === 'bare' && paramOf(of, 'limit') === undefined) return undefined;
  const size = of.limits.pageSize ?? FALLBACK_PAGE_SIZE;
  const max = settings.maxPageSize[of.path] ?? size.max;
  return { max, default: Math.min(size.default, max) };
}

function keysOf(of: Endpoint, values: Values): Keys | undefined {
  const param = paramOf(of, 'keys');
  const text = param && values.get(param.name);
  if (param === undefined || text === undefined) return undefined;
  const items = text.split(',').map((item) => item.trim());
  if (items.length > param.max) {
    throw new Refusal('too-many-items', `${param.name} holds more than ${param.max} items`);
  }
  const columns = columnsOfSide(of, values) ?? param.columns;
  const words = wordsFor(of, columns);
  const canonical = items.map((item) => canonicalValue(item, words, param.name));
  return { columns, values: [...new Set(canonical)] };
}

function columnsOfSide(of: Endpoint, values: Values): readonly string[] | undefined {
  const param = paramOf(of, 'side');
  const side = param && values.get(param.name);
  if (param === undefined || side === undefined) return undefined;
  return [side === 'from' ? param.from : param.to];
}

function canonicalFilter(of: Endpoint, filter: Query['equals'][number]): Query['equals'][number] {
  const param = equalsParams(of).find((each) => each.column.column === filter.column);
  const words = param === undefined ? [] : [param.column];
  return { ...filter, value: canonicalValue(filter.value, words, param?.name ?? '') };
}

function wordsFor(of: Endpoint, columns: readonly string[]): ColumnWord[] {
  return wordsOfDataset(of.dataset).filter((word) => columns.includes(word.column));
}

/** One value in the spelling records have; addresses and hashes must be hex. */
function canonicalValue(text: string, words: readonly ColumnWord[], name: string): string {
  const malformed = () => new Refusal('bad-parameter', `${name} is malformed`);
  let value = text;
  for (const { kind } of words) {
    if (!kind.pattern.test(text)) throw malformed();
    value = kind.canonical(text);
    const isHex = kind === party || kind === address || kind === hash;
    if (isHex && (addressesIn(value).length !== 1 || !HEX.test(value))) throw malformed();
  }
  if (value === '') throw malformed();
  return value;
}

/** The heights asked for, which may be none. The span is checked on what was asked. */
function intervalOf(of: Endpoint, values: Values, head: number, settings: FullSettings): Interval {
  const oldest = of.limits.depthBlocks === undefined ? 0 : head - of.limits.depthBlocks + 1;
  const height = numberOf(values, paramOf(of, 'height'));
  if (height !== undefined) return clipped(height, height, oldest, head);
  const from = numberOf(values, paramOf(of, 'from-block'));
  const to = numberOf(values, paramOf(of, 'to-block'));
  if (from !== undefined && to !== undefined) checkSpan(of, from, to);
  const last = to === undefined ? head : to - (endIsLeftOut(of.axis, settings) ? 1 : 0);
  return clipped(from ?? 0, last, oldest, head);
}

function checkSpan(of: Endpoint, from: number, to: number): void {
  const { blockSpan } = of.limits;
  if (from > to) throw new Refusal('bad-parameter', 'the first block lies after the last one');
  if (blockSpan !== undefined && to - from > blockSpan) {
    throw new Refusal('bad-parameter', `more than ${blockSpan} blocks lie between the two`);
  }
}

function endIsLeftOut(axis: Axis, settings: FullSettings): boolean {
  return axis === 'primary' && settings.endReading === 'exclusive';
}

function clipped(from: number, to: number, oldest: number, head: number): Interval {
  return { from: Math.max(from, oldest), to: Math.min(to, head) };
}

function numberOf(
  values: Values,
  param: Param | undefined,
  bounds: { readonly least?: number; readonly most?: number } = {},
): number | undefined {
  const text = param && values.get(param.name);
  if (param === undefined || text === undefined) return undefined;
  if (!WHOLE_NUMBER.test(text)) throw new Refusal('bad-parameter', `${param.name} is no number`);
  const value = Number(text);
  const { least = 0, most = Number.POSITIVE_INFINITY } = bounds;
  if (value < least || value > most) {
    const range = most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`;
    throw new Refusal('bad-parameter', `${param.name} must be ${range}`);
  }
  return value;
}
