import { createHash } from 'node:crypto';
import { type LandedList, traitsOf } from './lists.ts';
import type { RuleSql } from './rule-sql.ts';
import { withoutComments } from './sql-files.ts';

/** A list with coverage, and the addresses that it was asked for, if its keys are addresses. */
export interface FollowedList extends LandedList {
  readonly addresses: readonly string[];
}

/**
 * A number for what curated rows depend on beside the raw rows and the coverage of their height:
 * the SQL of the rule without comments, the addresses that were asked for, and the scopes of lists.
 * If it changes, every height is computed again.
 */
export function environmentOf(
  rule: RuleSql,
  tables: readonly { readonly lists: readonly FollowedList[] }[],
): number {
  const lists = tables.flatMap((table) => table.lists);
  const followed = new Set(lists.flatMap(({ addresses }) => addresses));
  const scopes = new Set(traitsOf(lists).map(({ dataset, scope }) => `${dataset} ${scope}`));
  const queries = [...rule.queries.values()].map(({ name, sql }) => [name, withoutComments(sql)]);
  const macros = rule.macros.map(withoutComments);
  const content = [macros, queries, [...followed].sort(), [...scopes].sort()];
  const digest = createHash('sha256').update(JSON.stringify(content)).digest();
  return digest.readUIntBE(0, 6);
}
