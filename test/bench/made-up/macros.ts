import {
  BLOCK_SECONDS,
  BRIDGE,
  CROSSING_TRANSACTIONS,
  FIRST_BLOCK,
  FIRST_OUTSIDER,
  FIRST_ZONE_BLOCK,
  FOLLOWED,
  SEGMENT_BLOCKS,
  SEGMENT_TRANSACTIONS,
  type Sizes,
  START_SECONDS,
  TOKENS,
  ZONE_LEAD_SECONDS,
} from './sizes.ts';

/**
 * SQL macros that compute the fields of made-up records from their numbers. Salts make the numbers
 * of one record independent of each other.
 */

/** Places of a segment are visited in steps of 7; 43 is its inverse modulo 50. */
const STEP = 7;
const INVERSE_STEP = 43;

export function macros({ outsiders }: Sizes): string[] {
  const segment = `(i // ${SEGMENT_TRANSACTIONS})`;
  const place = `(i % ${SEGMENT_TRANSACTIONS})`;
  return [
    `chance(x, salt, n) AS CAST(hash(x, salt) % n AS BIGINT)`,
    `fraction(x, salt) AS CAST(hash(x, salt) >> 11 AS DOUBLE) / 9007199254740992`,
    // Blocks of a segment have even, rising or falling numbers of transactions.
    `block_of(i) AS ${FIRST_BLOCK} + ${segment} * ${SEGMENT_BLOCKS} + CAST(floor(
      ${SEGMENT_BLOCKS} * pow(${place} / ${SEGMENT_TRANSACTIONS},
        CASE chance(${segment}, 'k', 3) WHEN 0 THEN 0.5 WHEN 1 THEN 1 ELSE 2 END)
    ) AS BIGINT)`,
    `seconds_of(block) AS ${START_SECONDS} + (block - ${FIRST_BLOCK}) * ${BLOCK_SECONDS}`,
    `time_of(seconds) AS make_timestamptz(seconds * 1000000)`,
    `zone_block_at(seconds) AS
      ${FIRST_ZONE_BLOCK} + seconds - ${START_SECONDS - ZONE_LEAD_SECONDS}`,
    `zone_time_of(block) AS
      time_of(block - ${FIRST_ZONE_BLOCK} + ${START_SECONDS - ZONE_LEAD_SECONDS})`,
    `day_of(moment) AS CAST(moment AT TIME ZONE 'UTC' AS DATE)`,
    `followed_id(x, salt) AS CAST(floor(${FOLLOWED} * pow(fraction(x, salt), 3)) AS BIGINT)`,
    `outsider_id(x, salt) AS
      ${FIRST_OUTSIDER} + CAST(floor(${outsiders} * pow(fraction(x, salt), 2)) AS BIGINT)`,
    `address_of(id) AS '0x' || sha1('a' || id)`,
    `is_contract(id) AS id = ${BRIDGE} OR (id > ${BRIDGE} AND id % ${STEP} = 0)`,
    `hash_of(kind, x) AS '0x' || sha256(kind || x)`,
    // The turn of a transaction in its segment: token transfers belong to turns 0 to 29, internal
    // transactions to turns 20 to 49.
    `start_of(segment) AS chance(segment, 'o', ${SEGMENT_TRANSACTIONS})`,
    `turn_of(i) AS ((${place} + ${SEGMENT_TRANSACTIONS} - start_of(${segment}))
      * ${INVERSE_STEP}) % ${SEGMENT_TRANSACTIONS}`,
    `number_of(segment, turn) AS segment * ${SEGMENT_TRANSACTIONS}
      + (turn * ${STEP} + start_of(segment)) % ${SEGMENT_TRANSACTIONS}`,
    // Crossings 48 and 49 of each 50 are one batch.
    `kind_of(c) AS CASE
      WHEN c % 50 >= 48 THEN 'BatchWithdraw'
      WHEN chance(c, 'd', 100) < 55 THEN 'Deposit'
      WHEN chance(c, 'f', 100) = 0 THEN 'FailedWithdraw'
      ELSE 'Withdraw' END`,
    `batch_of(c) AS c - CASE c % 50 WHEN 49 THEN 1 ELSE 0 END`,
    `leg_of(c) AS
      c * ${CROSSING_TRANSACTIONS} + chance(c, 'leg', ${CROSSING_TRANSACTIONS})`,
    `token_of(x, salt) AS CAST(floor(${TOKENS} * pow(fraction(x, salt), 3)) AS BIGINT)`,
    `standard_of(token) AS CASE
      WHEN token % 10 IN (3, 7) THEN 'token_721' WHEN token % 10 = 9 THEN 'token_1155'
      ELSE 'token_20' END`,
    `pow10(places) AS CAST(10 ** places AS BIGINT)`,
    `trimmed(amount) AS rtrim(rtrim(CAST(amount AS VARCHAR), '0'), '.')`,
    // Decimal text of an amount in units of 10^-places, without needless zeros.
    `text_of(units, places) AS CASE WHEN units = 0 THEN '0' ELSE rtrim(rtrim(
      (units // pow10(places)) || '.' || lpad(CAST(units % pow10(places) AS VARCHAR), places, '0'),
      '0'), '.') END`,
    `decimal_of(units, unit) AS CAST(CAST(units AS DECIMAL(20, 0)) * unit AS DECIMAL(38, 18))`,
  ].map((macro) => `CREATE MACRO ${macro}`);
}
