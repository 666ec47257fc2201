import { literal } from '../../land/storage/sql-text.ts';
import type { ListCoverage } from './list-coverage.ts';

/**
 * SQL for `known.holders`: every set of endpoints of a dataset, with one bit per endpoint (`1 <<
 * _endpoint_rank`). A dataset has at most five endpoints.
 */
export function holdersSql(lists: readonly ListCoverage[]): string {
  const rows = [...ranksOf(lists)].flatMap(([dataset, ranks]) =>
    setsOf([...ranks]).map((set) => {
      const bits = set.reduce((sum, [, rank]) => sum + 2 ** rank, 0);
      const endpoints = set.map(([endpoint]) => literal(endpoint)).sort();
      return `SELECT ${literal(dataset)}, ${bits}, [${endpoints.join(', ')}]`;
    }),
  );
  const none = 'SELECT NULL::VARCHAR, NULL::BIGINT, NULL::VARCHAR[] WHERE false';
  return `CREATE TABLE known.holders (dataset, bits, endpoints) AS
    ${[none, ...rows].join(' UNION ALL ')}`;
}

function ranksOf(lists: readonly ListCoverage[]): Map<string, Map<string, number>> {
  const ranks = new Map<string, Map<string, number>>();
  for (const { traits } of lists) {
    const endpointRanks = ranks.get(traits.dataset) ?? new Map<string, number>();
    ranks.set(traits.dataset, endpointRanks.set(traits.endpoint, traits.endpointRank));
  }
  return ranks;
}

/** All sets of one or more of the items. */
function setsOf<T>(items: readonly T[]): T[][] {
  const sets: T[][] = [];
  for (const item of items) sets.push([item], ...sets.map((set) => [...set, item]));
  return sets;
}
