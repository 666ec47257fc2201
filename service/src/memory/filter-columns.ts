import type { Param } from '../../../src/catalogue/entry.ts';
import { datasetsOf, endpoints, wordsOfDataset } from '../../../src/catalogue/index.ts';
import { blockTime } from '../../../src/catalogue/vocabulary.ts';

/** The columns of a dataset that questions can filter by, each once. */
export interface FilterColumns {
  /** Filtered by equality: keys and filters. */
  readonly named: readonly string[];
  /** Filtered by two numeric bounds. */
  readonly bounded: readonly string[];
}

/** The columns that the dataset's endpoints can filter by, without heights. */
export function filterColumns(dataset: string): FilterColumns {
  const feeding = endpoints.filter((endpoint) => datasetsOf(endpoint).includes(dataset));
  const params = feeding.flatMap((endpoint) => endpoint.params);
  const isBound = ({ role }: Param): boolean => role === 'at-least' || role === 'at-most';
  // A depth limit in years is a bound on times.
  const times = feeding.some(({ limits }) => limits.depthYears !== undefined)
    ? [blockTime.column]
    : [];
  const words = wordsOfDataset(dataset).map(({ column }) => column);
  const ofDataset = (columns: readonly string[]): string[] =>
    words.filter((column) => columns.includes(column));
  return {
    named: ofDataset(params.filter((each) => !isBound(each)).flatMap(columnsNamed)),
    bounded: ofDataset([...params.filter(isBound).flatMap(columnsNamed), ...times]),
  };
}

/** The columns whose values a parameter filters. */
export function columnsNamed(param: Param): readonly string[] {
  switch (param.role) {
    case 'keys':
      return param.columns;
    case 'names':
      return param.columns.map(({ column }) => column);
    case 'equals':
    case 'at-least':
    case 'at-most':
      return [param.column.column];
    default:
      return [];
  }
}
