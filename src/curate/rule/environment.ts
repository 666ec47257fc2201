import { createHash } from 'node:crypto';
import type { LandedList } from './lists.ts';
import type { RuleSql } from './rule-sql.ts';
import { withoutComments } from './sql-files.ts';

/** A list with coverage, and the addresses that it was asked for, if its keys are addresses. */
export interface FollowedList extends LandedList {
  readonly addresses: readonly string[];
}

/**
 * A number for the SQL of the rule without comments. If it changes, every height is computed again.
 */
export function environmentOf(rule: RuleSql): number {
  const queries = [...rule.queries.values(), ...rule.evidence].map(({ name, sql }) => [
    name,
    withoutComments(sql),
  ]);
  return numberOf([rule.macros.map(withoutComments), queries]);
}

/** A number for the addresses that were asked for. If it changes, ledgers have other addresses. */
export function followedNumber(
  tables: readonly { readonly lists: readonly FollowedList[] }[],
): number {
  const addresses = tables.flatMap(({ lists }) => lists.flatMap((list) => list.addresses));
  return numberOf([...new Set(addresses)].sort());
}

function numberOf(content: unknown): number {
  return createHash('sha256').update(JSON.stringify(content)).digest().readUIntBE(0, 6);
}
