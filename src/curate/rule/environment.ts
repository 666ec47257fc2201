import { createHash } from 'node:crypto';
import { listCoverage } from './list-coverage.ts';
import type { RuleSql } from './rule-sql.ts';

/**
 * A number for what curated rows depend on beside the raw rows and the coverage of their height:
 * the SQL of the rule, the addresses that were asked for, and the scopes of lists. If it changes,
 * every height is computed again.
 */
export function environmentOf(rule: RuleSql, raw: Parameters<typeof listCoverage>[0]): number {
  const lists = listCoverage(raw);
  const followed = new Set<string>();
  const scopes = new Set<string>();
  for (const { traits, groups } of lists) {
    scopes.add(`${traits.dataset} ${traits.scope}`);
    if (traits.keyKind !== 'address') continue;
    for (const { keys } of groups) for (const key of keys) followed.add(key);
  }
  const queries = [...rule.queries.values()].map(({ name, sql }) => [name, sql]);
  const content = [rule.macros, queries, [...followed].sort(), [...scopes].sort()];
  const digest = createHash('sha256').update(JSON.stringify(content)).digest();
  return digest.readUIntBE(0, 6);
}
