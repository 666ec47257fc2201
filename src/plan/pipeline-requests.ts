import { z } from 'zod';
import type { Dataset, Endpoint, Param } from '../catalogue/entry.ts';
import { paramOf } from '../catalogue/index.ts';
import { ADDRESS } from './address-list.ts';
import { suggestion } from './nearest.ts';
import { asText, mapping, oneOf, says, severalOf, text, wholeNumber } from './pipeline-fields.ts';
import type { Variant } from './slice.ts';
import { variant } from './slice.ts';

/** What a pipeline asks of one endpoint. */
export interface PipelineRequest {
  readonly dataset: string;
  /** The endpoint's path. */
  readonly endpoint: string;
  /** Name of the key set; absent for endpoints without keys. */
  readonly keySet?: string;
  /** Records per page; absent for replies that are not paged. */
  readonly pageSize?: number;
  /** One walk each; a single variant without parameters where nothing is filtered. */
  readonly variants: readonly Variant[];
}

/** A request as it stands in the file. */
export interface RequestSource {
  readonly endpoint: string;
  readonly keys?: string | undefined;
  readonly pageSize?: number | undefined;
  readonly each?: Readonly<Record<string, readonly string[]>> | undefined;
  readonly where?: Readonly<Record<string, string>> | undefined;
}

export type DatasetsSource = Readonly<Record<string, readonly RequestSource[]>>;

type Filter = Extract<Param, { role: 'equals' | 'side' }>;

/** The parameters of an endpoint that a pipeline may set: all others are windrow's own. */
export function filtersOf(of: Endpoint): Filter[] {
  return of.params.filter(
    (param): param is Filter => param.role === 'equals' || param.role === 'side',
  );
}

/** One spelling for every value. */
export function canonicalValue(filter: Filter, value: string): string {
  return filter.role === 'equals' ? filter.column.kind.canonical(value) : value;
}

export function addressField(meaning: string) {
  const advice = 'Write 0x and 40 hexadecimal digits, in quotes.';
  return text(ADDRESS, 'is not an address', advice, meaning);
}

function filterField(filter: Filter): z.ZodType<string> {
  if (filter.values !== undefined) return asText(oneOf(filter.values, filter.meaning));
  if (filter.role === 'side') return asText(oneOf(['from', 'to'], filter.meaning));
  const { kind } = filter.column;
  if (kind.name === 'address') return addressField(filter.meaning);
  return text(kind.pattern, `is no ${kind.name}`, `Write a ${kind.name}.`, filter.meaning);
}

/** What a pipeline may say of this endpoint, drawn from its entry in the catalogue. */
export function requestSchema(of: Endpoint): z.ZodType<RequestSource> {
  const filters = filtersOf(of);
  const keys = paramOf(of, 'keys');
  const page = of.limits.pageSize;
  const own = of.params.filter((param) => !filters.some((filter) => filter.name === param.name));
  const ownNotes = Object.fromEntries(
    own.map((param) => [param.name, 'Remove it: windrow sets this parameter itself.']),
  );
  const each = filters.map((filter) => [
    filter.name,
    severalOf(filterField(filter), `One walk per value: ${filter.meaning}`).optional(),
  ]);
  const where = filters.map((filter) => [filter.name, filterField(filter).optional()]);
  const shape: Record<string, z.ZodType> = { endpoint: z.literal(of.path).describe(of.summary) };
  if (keys !== undefined) {
    const field = keySetName('The key set whose keys are asked');
    shape['keys'] = keys.required ? field : field.optional();
  }
  if (page !== undefined) {
    const meaning = `Records per page, by default ${page.max}`;
    shape['pageSize'] = wholeNumber(1, page.max, meaning).optional();
  }
  if (filters.length > 0) {
    const described = 'Filters with several values: the request is walked once for each';
    shape['each'] = mapping(Object.fromEntries(each), ownNotes).optional().describe(described);
    shape['where'] = mapping(Object.fromEntries(where), ownNotes)
      .optional()
      .describe('Filters with one value');
  }
  const none = (what: string) => `Remove it: this endpoint has no ${what}.`;
  return mapping(shape, {
    keys: none('keys'),
    pageSize: none('pages'),
    each: none('filters'),
    where: none('filters'),
    // The shape is built from data, so the compiler cannot follow it; the fields above are these.
  }) as unknown as z.ZodType<RequestSource>;
}

export function keySetName(meaning: string) {
  return text(
    /^[a-z][a-z0-9_-]{0,63}$/,
    'is not the name of a key set',
    'Use lower-case letters, digits, hyphens and underscores, and begin with a letter.',
    meaning,
  );
}

/** Requests by dataset, for every dataset and endpoint there is. */
export function datasetsSchema(
  datasets: readonly Dataset[],
  endpoints: readonly Endpoint[],
): z.ZodType<DatasetsSource> {
  const shape: Record<string, z.ZodType> = {};
  for (const { name, summary } of datasets) {
    const feeding = endpoints.filter((entry) => entry.dataset === name);
    if (feeding.length === 0) continue;
    const message = says('is not a list of requests', 'Begin each with - endpoint: and its path.');
    shape[name] = z
      .array(requestOf(feeding, endpoints), message)
      .min(1, message)
      .optional()
      .describe(summary);
  }
  const known = Object.keys(shape);
  return mapping(shape)
    .refine((given) => Object.values(given).some((requests) => requests !== undefined), {
      error: says('names no dataset', suggestion(undefined, known)),
    })
    .meta({ minProperties: 1 }) as unknown as z.ZodType<DatasetsSource>;
}

function requestOf(feeding: readonly Endpoint[], endpoints: readonly Endpoint[]) {
  const options = feeding.map(requestSchema) as unknown as [z.ZodObject, ...z.ZodObject[]];
  return z.discriminatedUnion('endpoint', options, {
    error: (issue) => {
      if (issue.code !== 'invalid_union') {
        return says('is not a request', 'Begin it with - endpoint: and its path.');
      }
      const given = (issue.input as RequestSource).endpoint;
      const elsewhere = endpoints.find((entry) => entry.path === given);
      if (elsewhere !== undefined) {
        return says('feeds another dataset', `Move the request under ${elsewhere.dataset}.`);
      }
      const paths = feeding.map((entry) => entry.path);
      return says('is not an endpoint of this dataset', suggestion(given, paths));
    },
  });
}

/** Filters the endpoint cannot do without, which neither the request nor the interface gives. */
export function missingFilters(of: Endpoint, request: RequestSource): Filter[] {
  return filtersOf(of).filter(
    (filter) =>
      filter.required &&
      filter.default === undefined &&
      request.each?.[filter.name] === undefined &&
      request.where?.[filter.name] === undefined,
  );
}

/**
 * One variant for every combination of the filters' values, in the order of the endpoint's
 * parameters. A documented default is spelled out, so that a variant never depends on what the
 * service assumes.
 */
export function variantsOf(of: Endpoint, request: RequestSource): Variant[] {
  let combinations: Record<string, string>[] = [{}];
  for (const filter of filtersOf(of)) {
    const one = request.where?.[filter.name] ?? filter.default;
    const values = request.each?.[filter.name] ?? (one === undefined ? undefined : [one]);
    if (values === undefined) continue;
    combinations = combinations.flatMap((params) =>
      values.map((value) => ({ ...params, [filter.name]: canonicalValue(filter, value) })),
    );
  }
  return combinations.map(variant);
}

/** The request with everything it leaves open filled in. */
export function toRequest(of: Endpoint, request: RequestSource): PipelineRequest {
  const pageSize = request.pageSize ?? of.limits.pageSize?.max;
  return {
    dataset: of.dataset,
    endpoint: of.path,
    ...(request.keys === undefined ? {} : { keySet: request.keys }),
    ...(pageSize === undefined ? {} : { pageSize }),
    variants: variantsOf(of, request),
  };
}
