import { expect, test } from 'vitest';
import { environmentOf, followedNumber } from '../../../../src/curate/rule/environment.ts';
import { type RuleSql, ruleSql } from '../../../../src/curate/rule/rule-sql.ts';

/** Goal: curated tables are computed again where their rows may differ, and only there. */

const rule = await ruleSql();

/** The rule with one of its queries changed. */
function changed(change: (sql: string) => string): RuleSql {
  const query = rule.queries.get('transactions');
  if (query === undefined) throw new Error('no query of transactions');
  const queries = new Map(rule.queries);
  return { ...rule, queries: queries.set(query.name, { ...query, sql: change(query.sql) }) };
}

test('changes with the code of a query, not with its comments', () => {
  const original = environmentOf(rule);
  expect(environmentOf(changed((sql) => sql.replace(/^-- .*$/m, '-- other words')))).toBe(original);
  expect(environmentOf(changed((sql) => sql.replace('GROUP BY', 'GROUP  BY')))).not.toBe(original);
});

test('the number of followed addresses does not depend on their order', () => {
  const list = { dataset: 'transactions', endpoint: 'mainchain/address/normal-transaction-list' };
  const numberOf = (...addresses: string[]) =>
    followedNumber([{ lists: [{ ...list, variant: '', addresses }] }]);
  expect(numberOf('0xa', '0xb')).toBe(numberOf('0xb', '0xa'));
  expect(numberOf('0xa', '0xb')).not.toBe(numberOf('0xa'));
});
