import type { ColumnWord, Endpoint } from '../../../src/catalogue/entry.ts';
import { datasetOf, paramOf, wordsOfDataset } from '../../../src/catalogue/index.ts';
import { Refusal } from '../protocol/errors.ts';
import type { Values } from '../protocol/parameters.ts';
import { canonicalValue, checkChain, numberOf, valuesInQuery } from '../protocol/parameters.ts';
import type { Bound, Naming, Selection, Source } from '../protocol/source.ts';
import type { FullSettings } from '../settings/settings.ts';
import { intervalOf } from './depth.ts';

/** A request after parsing and validation. */
export interface Question {
  readonly selection: Selection;
  /** Whether the interval includes the block above the head, whose transactions are pending. */
  readonly includesPending: boolean;
  /** At least 1. */
  readonly page: number;
  /** Records per page; undefined if the endpoint has no pages and lists all records. */
  readonly limit: number | undefined;
}

/** Page sizes of lists for which the interface gives no limits. */
const FALLBACK_PAGE_SIZE = { max: 100, default: 20 };

/**
 * Reads a request's query for an endpoint. Throws a Refusal for parameters that are missing,
 * malformed, given twice or beyond a limit; values are never reduced silently. Unknown names are
 * ignored. An empty value counts as absent.
 */
export function questionOf(
  entry: Endpoint,
  search: string,
  source: Source,
  settings: FullSettings,
): Question {
  const values = valuesInQuery(entry, search);
  checkChain(entry, values, source);
  const size = pageSize(entry, settings);
  const dataset = datasetOf(entry, Object.fromEntries(values));
  const keys = keysOf(entry, values, dataset);
  const head = source.head(entry.axis);
  return {
    selection: {
      dataset,
      interval: intervalOf(entry, values, head, settings),
      filters: filtersOf(entry, values),
      bounds: boundsOf(entry, values),
      oncePerKey: settings.perMatchListing,
      ...(keys === undefined ? {} : { keys }),
    },
    includesPending:
      entry.pending !== undefined && intervalOf(entry, values, head + 1, settings).to > head,
    page: numberOf(values, paramOf(entry, 'page'), { least: 1 }) ?? 1,
    limit:
      size &&
      (numberOf(values, paramOf(entry, 'limit'), { least: 1, most: size.max }) ?? size.default),
  };
}

/** Largest and default page size; undefined if the endpoint has no pages. */
export function pageSize(
  entry: Endpoint,
  settings: FullSettings,
): { max: number; default: number } | undefined {
  if (entry.reply.shape !== 'paged' && paramOf(entry, 'limit') === undefined) return undefined;
  const size = entry.limits.pageSize ?? FALLBACK_PAGE_SIZE;
  const max = settings.maxPageSize[entry.path] ?? size.max;
  return { max, default: Math.min(size.default, max) };
}

function keysOf(entry: Endpoint, values: Values, dataset: string): Naming | undefined {
  const param = paramOf(entry, 'keys');
  const text = param && values.get(param.name);
  if (param === undefined || text === undefined) return undefined;
  const items = text.split(',').map((item) => item.trim());
  if (items.length > param.max) {
    throw new Refusal('too-many-items', `${param.name} holds more than ${param.max} items`);
  }
  const columns = columnsOfSide(entry, values) ?? param.columns;
  const words = wordsOfDataset(dataset).filter((word) => columns.includes(word.column));
  const canonical = items.map((item) => canonicalValue(item, words, param.name));
  return { columns, values: [...new Set(canonical)] };
}

function columnsOfSide(entry: Endpoint, values: Values): readonly string[] | undefined {
  const param = paramOf(entry, 'side');
  const side = param && values.get(param.name);
  if (param === undefined || side === undefined) return undefined;
  return [side === 'from' ? param.from : param.to];
}

/** Columns that must name a value. A parameter that only selects the dataset is not a filter. */
function filtersOf(entry: Endpoint, values: Values): Naming[] {
  const filters: Naming[] = [];
  const add = (name: string, text: string, words: readonly ColumnWord[]): void => {
    const columns = words.map((word) => word.column);
    filters.push({ columns, values: [canonicalValue(text, words, name)] });
  };
  for (const param of entry.params) {
    const text = values.get(param.name);
    if (text === undefined) continue;
    if (param.role === 'names') add(param.name, text, param.columns);
    if (param.role !== 'equals') continue;
    const { fills, datasets } = param;
    const isInRecords = datasets === undefined || fills === true || fills?.includes(text) === true;
    if (isInRecords) add(param.name, text, [param.column]);
  }
  return filters;
}

function boundsOf(entry: Endpoint, values: Values): Bound[] {
  const bounds: Bound[] = [];
  for (const param of entry.params) {
    const text = values.get(param.name);
    if (text === undefined || (param.role !== 'at-least' && param.role !== 'at-most')) continue;
    const value = canonicalValue(text, [param.column], param.name);
    const { column } = param.column;
    bounds.push(param.role === 'at-least' ? { column, least: value } : { column, most: value });
  }
  return bounds;
}
