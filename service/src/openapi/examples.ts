import { addressesIn } from '../../../src/catalogue/column-kind.ts';
import type { Endpoint, Param } from '../../../src/catalogue/entry.ts';
import { datasetNamed, datasetOf, endpoints, paramOf } from '../../../src/catalogue/index.ts';
import type { CanonicalRecord } from '../../../src/catalogue/record.ts';
import type { Source } from '../protocol/source.ts';
import type { Examples } from './openapi.ts';

/** Number of blocks in the range of an example without a block span limit. */
const EXAMPLE_BLOCKS = 1000;

/**
 * An example request for every list. It finds the newest record, or part of a record if there is
 * none.
 */
export async function examplesFrom(source: Source): Promise<Examples> {
  const examples = new Map<string, Readonly<Record<string, string>>>();
  for (const entry of endpoints) {
    if (entry.list === 'submission') continue;
    const dataset = datasetOf(entry, {});
    // A record is looked up only for parameters that need one, because rankings are slow.
    const hasFilters = entry.params.some(({ role }) => !['chain', 'page', 'limit'].includes(role));
    const record = hasFilters ? await newestOf(source, entry, dataset) : undefined;
    const values = entry.params.flatMap((param): [string, string][] => {
      const value = exampleOf(entry, param, record ?? {}, datasetNamed(dataset).heightColumn);
      const text = param.role === 'chain' ? source.names[entry.axis].shortName : value;
      return text === undefined ? [] : [[param.name, text]];
    });
    examples.set(entry.path, Object.fromEntries(values));
  }
  return examples;
}

async function newestOf(source: Source, entry: Endpoint, dataset: string) {
  return source.newest({
    dataset,
    interval: { from: 0, to: source.head(entry.axis) },
    filters: [],
    bounds: [],
    oncePerKey: false,
  });
}

/** A value that finds the record, together with those of all other parameters. */
function exampleOf(
  entry: Endpoint,
  param: Param,
  record: CanonicalRecord,
  heightColumn: string,
): string | undefined {
  const text = (column: string): string | undefined => {
    const value = record[column];
    return typeof value === 'string' ? value : undefined;
  };
  const first = (columns: readonly string[]): string | undefined =>
    columns.flatMap((column) => addressesIn(text(column) ?? ''))[0];
  const height = text(heightColumn);
  switch (param.role) {
    case 'keys':
      return first(param.columns);
    case 'names':
      return first(param.columns.map(({ column }) => column));
    case 'equals':
      return text(param.column.column) ?? param.default;
    case 'at-least':
    case 'at-most':
      return text(param.column.column);
    case 'side': {
      const key = first(paramOf(entry, 'keys')?.columns ?? []);
      return key === first([param.from]) ? 'from' : 'to';
    }
    case 'height':
    case 'to-block':
      return height;
    case 'from-block': {
      const blocks = entry.limits.blockSpan ?? EXAMPLE_BLOCKS;
      return height === undefined ? undefined : String(Math.max(0, Number(height) - blocks));
    }
    case 'page':
      return '1';
    case 'limit':
      return entry.limits.pageSize === undefined
        ? undefined
        : String(entry.limits.pageSize.default);
    default:
      return undefined;
  }
}
