import { expect, test } from 'vitest';
import { withoutBackticks } from '../../../../src/load/query/backticks.ts';

/** Goal: names that were pasted from BigQuery are read, and no other text changes. */

test.each([
  ['FROM `bigquery-public-data.crypto_ethereum.blocks`', 'FROM "crypto_ethereum"."blocks"'],
  ['FROM `bigquery-public-data`.crypto_ethereum.blocks', 'FROM crypto_ethereum.blocks'],
  ['FROM `bigquery-public-data`.`crypto_ethereum`.`blocks`', 'FROM "crypto_ethereum"."blocks"'],
  ['SELECT t.`from`, `to` FROM `blocks` AS t', 'SELECT t."from", "to" FROM "blocks" AS t'],
  ['SELECT `a"b`', 'SELECT "a""b"'],
  ['SELECT `bigquery-public-data`', 'SELECT "bigquery-public-data"'],
  ["SELECT $1, `a`, a$b$ AS `c`, '$b$'", 'SELECT $1, "a", a$b$ AS "c", \'$b$\''],
  ["SELECT value'`x`', `y`", 'SELECT value\'`x`\', "y"'],
])('%s', (sql, wanted) => {
  expect(withoutBackticks(sql)).toBe(wanted);
});

test.each([
  "SELECT '`a`', 'it''s `b`'",
  "SELECT E'\\'`a`'",
  'SELECT "`a`", "b""`c`"',
  'SELECT 1 -- `a`',
  'SELECT /* `a` /* `b` */ `c` */ 1',
  'SELECT $$`a`$$, $tag$ `b` $$ `c` $tag$',
  'SELECT `a',
  'SELECT ``',
  'SELECT `a..b`',
  "SELECT 'not closed `a`",
])('%s stays as it is', (sql) => {
  expect(withoutBackticks(sql)).toBe(sql);
});
