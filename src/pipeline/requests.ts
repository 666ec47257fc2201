import { z } from 'zod';
import type { Dataset, Endpoint, Param } from '../catalogue/entry.ts';
import { BY_KEY, datasetsOf, endpointAt, paramOf } from '../catalogue/index.ts';
import { SHORT_STATUSES, type Status } from '../coverage/coverage.ts';
import { type List, listOf } from '../coverage/list.ts';
import { suggestion } from '../fault.ts';
import { alternativesTo } from './alternatives.ts';
import { ADDRESS } from './syntax/address.ts';
import { type BlockBounds, boundsField } from './syntax/block-range.ts';
import {
  asText,
  mapping,
  oneOf,
  says,
  severalOf,
  textField,
  wholeNumberField,
} from './syntax/fields.ts';

/** An endpoint with the lists that a request reads from it. */
export interface Route {
  readonly entry: Endpoint;
  /** Records per page; absent for replies that are not paged. */
  readonly pageSize?: number | undefined;
  /** One for every combination of filters; a single list without filters. */
  readonly lists: readonly List[];
}

/** Selects keys from rows that other requests of the same pipeline have landed. */
export interface FoundKeys {
  readonly datasets: readonly string[];
  /** Only rows of these endpoints. Absent: rows of all endpoints. */
  readonly by?: readonly string[] | undefined;
  /** Only rows where this column is NULL. */
  readonly without?: string | undefined;
  /** Only rows of blocks where the dataset of the request has this status. */
  readonly at?: 'truncated' | undefined;
}

/** One request of a pipeline: an endpoint, its keys, and alternatives. */
export interface PipelineRequest extends Route {
  readonly dataset: string;
  /** Name of the key set; absent for requests without keys. */
  readonly keySet?: string | undefined;
  /** Absent for requests with keys from a file or a list, and for requests without keys. */
  readonly foundIn?: FoundKeys | undefined;
  /** Incomplete statuses that do not make a run partial. */
  readonly accept: readonly Status[];
  /** Narrows the heights of the pipeline. */
  readonly blocks?: BlockBounds | undefined;
  /** Used where they are cheaper or list older records. Their lists match one to one. */
  readonly alternatives: readonly Route[];
  /** Only for snapshots: a younger snapshot is not read again. */
  readonly maxAgeMinutes?: number;
}

/** A request in the pipeline file. */
export interface RequestSource {
  readonly endpoint: string;
  readonly keys?: string | undefined;
  readonly pageSize?: number | undefined;
  readonly each?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly where?: Readonly<Record<string, string>> | undefined;
  readonly alternatives?: readonly string[] | undefined;
  readonly maxAgeMinutes?: number | undefined;
  readonly blocks?: BlockBounds | undefined;
  readonly accept?: readonly Status[] | undefined;
}

export type DatasetsSource = Readonly<Record<string, readonly RequestSource[]>>;

/** Roles of parameters that no request sends, because a narrower list would prove less. */
const NARROWING: ReadonlySet<Param['role']> = new Set(['names', 'at-least', 'at-most']);

type Filter = Extract<Param, { role: 'equals' | 'side' }>;

/**
 * The parameters of an endpoint that a pipeline may set for a dataset; windrow sets all others. A
 * parameter that selects the dataset keeps only the values of this dataset. A single remaining
 * value is the default.
 */
export function filtersOf(entry: Endpoint, dataset: string): Filter[] {
  const filters = entry.params.filter(
    (param): param is Filter => param.role === 'equals' || param.role === 'side',
  );
  return filters.map((filter) => {
    if (filter.role !== 'equals' || filter.datasets === undefined) return filter;
    const { default: _default, ...rest } = filter;
    const selected = Object.entries(filter.datasets).filter(([, name]) => name === dataset);
    const values = selected.map(([value]) => value);
    const [only] = values;
    return values.length === 1 && only !== undefined
      ? { ...rest, values, required: true, default: only }
      : { ...rest, values, required: true };
  });
}

/** The canonical spelling of a filter's value. */
export function canonicalFilterValue(filter: Filter, value: string): string {
  return filter.role === 'equals' ? (filter.column.kind.canonical(value) ?? value) : value;
}

export function addressField(meaning: string) {
  const advice = 'Write 0x and 40 hexadecimal digits, in quotes.';
  return textField(ADDRESS, 'is not an address', advice, meaning);
}

function filterField(filter: Filter): z.ZodType<string> {
  if (filter.values !== undefined) return asText(oneOf(filter.values, filter.meaning));
  if (filter.role === 'side') return asText(oneOf(['from', 'to'], filter.meaning));
  const { kind } = filter.column;
  if (kind.name === 'address' || kind.name === 'party') return addressField(filter.meaning);
  return textField(kind.pattern, `is not a ${kind.name}`, `Write a ${kind.name}.`, filter.meaning);
}

/** The schema of a request to this endpoint, built from its entry in the catalogue. */
export function requestSchema(entry: Endpoint, dataset: string): z.ZodType<RequestSource> {
  const filters = filtersOf(entry, dataset);
  const keys = paramOf(entry, 'keys');
  const page = entry.limits.pageSize;
  const rest = entry.params.filter(
    (param) => !filters.some((filter) => filter.name === param.name),
  );
  const ownNotes = Object.fromEntries(
    rest.map(({ name, role }) => [
      name,
      NARROWING.has(role)
        ? 'Remove it: lists are read whole, and queries select from their rows.'
        : 'Remove it: windrow sets this parameter itself.',
    ]),
  );
  const each = filters.map((filter) => [
    filter.name,
    severalOf(filterField(filter), `One list per value: ${filter.meaning}`).optional(),
  ]);
  const where = filters.map((filter) => [filter.name, filterField(filter).optional()]);
  const shape: Record<string, z.ZodType> = {
    endpoint: z.literal(entry.path).describe(entry.summary),
  };
  if (keys !== undefined) {
    const field = keySetName('The key set of the request');
    shape['keys'] = keys.required ? field : field.optional();
  }
  if (page !== undefined) {
    const meaning = `Records per page, by default ${page.max}`;
    shape['pageSize'] = wholeNumberField(1, page.max, meaning).optional();
  }
  if (filters.length > 0) {
    const described = 'Filters with several values, each of which is a separate list';
    shape['each'] = mapping(Object.fromEntries(each), ownNotes).optional().describe(described);
    shape['where'] = mapping(Object.fromEntries(where), ownNotes)
      .optional()
      .describe('Filters with one value');
  }
  if (entry.list === 'snapshot') {
    const meaning = 'A younger snapshot is not read again; by default one day';
    shape['maxAgeMinutes'] = wholeNumberField(0, 5_256_000, meaning).optional();
  } else
    shape['blocks'] = boundsField('Last height').optional().describe('Heights of this request');
  const others = alternativesTo(entry, dataset);
  if (others.length > 0) {
    shape['alternatives'] = z
      .array(oneOf(others, 'An endpoint'), says('is not a list of endpoints', 'Use brackets.'))
      .optional()
      .describe('Endpoints to use where they are cheaper or list older records');
  }
  shape['accept'] = z
    .array(oneOf(SHORT_STATUSES, 'A status'), says('is not a list of statuses', 'Use brackets.'))
    .optional()
    .describe('Incomplete statuses that do not make a run partial');
  const none = (feature: string) => `Remove it: this endpoint has no ${feature}.`;
  return mapping(shape, {
    keys: none('keys'),
    pageSize: none('pages'),
    each: none('filters'),
    where: none('filters'),
    blocks: 'Remove it: a snapshot is the state at the head.',
    alternatives: 'Remove it: no other endpoint lists the same records.',
    maxAgeMinutes: 'Remove it: only snapshots have an age.',
    // The compiler cannot infer a shape that is built from data.
  }) as unknown as z.ZodType<RequestSource>;
}

export function keySetName(meaning: string) {
  return textField(
    /^[a-z][a-z0-9_-]{0,63}$/,
    'is not the name of a key set',
    'Use lower-case letters, digits, hyphens and underscores, and begin with a letter.',
    meaning,
  );
}

/** The schema of requests by dataset, for the given datasets and endpoints. */
export function datasetsSchema(
  datasets: readonly Dataset[],
  all: readonly Endpoint[],
): z.ZodType<DatasetsSource> {
  const shape: Record<string, z.ZodType> = {};
  for (const { name, summary } of datasets) {
    const feeding = all.filter(
      (entry) => datasetsOf(entry).includes(name) && entry.list !== 'submission',
    );
    if (feeding.length === 0) continue;
    const message = says('is not a list of requests', 'Begin each with - endpoint: and its path.');
    shape[name] = z
      .array(requestOf(feeding, name, all), message)
      .min(1, message)
      .optional()
      .describe(summary);
  }
  const names = Object.keys(shape);
  return mapping(shape)
    .refine((source) => Object.values(source).some((requests) => requests !== undefined), {
      error: says('names no dataset', suggestion(undefined, names)),
    })
    .meta({ minProperties: 1 }) as unknown as z.ZodType<DatasetsSource>;
}

function requestOf(feeding: readonly Endpoint[], dataset: string, all: readonly Endpoint[]) {
  const options = feeding.map((entry) => requestSchema(entry, dataset)) as unknown as [
    z.ZodObject,
    ...z.ZodObject[],
  ];
  return z.discriminatedUnion('endpoint', options, {
    error: (issue) => {
      if (issue.code !== 'invalid_union') {
        return says('is not a request', 'Begin it with - endpoint: and its path.');
      }
      const path = (issue.input as RequestSource).endpoint;
      const elsewhere = all.find((entry) => entry.path === path);
      if (elsewhere !== undefined) {
        return says(
          'feeds another dataset',
          `Move the request under ${datasetsOf(elsewhere).join(' or ')}.`,
        );
      }
      const paths = feeding.map((entry) => entry.path);
      return says('is not an endpoint of this dataset', suggestion(path, paths));
    },
  });
}

/** Required filters without a default that the request does not set. */
export function missingFilters(entry: Endpoint, dataset: string, request: RequestSource): Filter[] {
  return filtersOf(entry, dataset).filter(
    (filter) =>
      filter.required &&
      filter.default === undefined &&
      request.each?.[filter.name] === undefined &&
      request.where?.[filter.name] === undefined,
  );
}

/**
 * One list for every combination of the filters' values, in the order of the endpoint's parameters.
 * Includes documented defaults, so that a list never depends on the default of the service, and
 * `BY_KEY` for optional keys that the request sets.
 */
export function listsOf(entry: Endpoint, dataset: string, request: RequestSource): List[] {
  const keys = paramOf(entry, 'keys');
  const isKeyed = keys?.required === false && request.keys !== undefined;
  let combinations: Record<string, string>[] = [isKeyed ? { [keys.name]: BY_KEY } : {}];
  for (const filter of filtersOf(entry, dataset)) {
    const one = request.where?.[filter.name] ?? filter.default;
    const values = request.each?.[filter.name] ?? (one === undefined ? undefined : [one]);
    if (values === undefined) continue;
    combinations = combinations.flatMap((params) =>
      values.map((value) => ({ ...params, [filter.name]: canonicalFilterValue(filter, value) })),
    );
  }
  return combinations.map((filters) => listOf(entry, filters));
}

const DAY_MINUTES = 1440;

/** The request with all defaults. */
export function toRequest(
  endpoint: Endpoint,
  dataset: string,
  request: RequestSource,
  foundIn?: FoundKeys,
): PipelineRequest {
  const routeOf = (entry: Endpoint, pageSize = entry.limits.pageSize?.max): Route => ({
    entry,
    lists: listsOf(entry, dataset, request),
    pageSize,
  });
  const { keys: keySet, blocks, maxAgeMinutes = DAY_MINUTES } = request;
  return {
    ...routeOf(endpoint, request.pageSize),
    dataset,
    accept: request.accept ?? [],
    alternatives: (request.alternatives ?? []).map((path) => routeOf(endpointAt(path))),
    keySet,
    foundIn,
    blocks,
    ...(endpoint.list === 'snapshot' ? { maxAgeMinutes } : {}),
  };
}
