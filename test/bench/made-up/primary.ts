import {
  BRIDGE,
  type Chunk,
  CROSSING_TRANSACTIONS,
  FOLLOWED,
  RELAYER,
  SEGMENT_INTERNALS,
  SEGMENT_TRANSACTIONS,
  SEGMENT_TRANSFERS,
  type Sizes,
} from './sizes.ts';

/**
 * SQL of the made-up records of the primary chain. Columns have the names of the lake; columns
 * whose names begin with an underscore are the truth about a record that its list does not say.
 */

/** The table `senders`: parties, status and nonce of every transaction. */
export function sendersSql({ segments }: Sizes): string {
  const crossing = `(i // ${CROSSING_TRANSACTIONS})`;
  return `CREATE TABLE senders AS
    WITH roles AS (
      SELECT i,
        CASE WHEN i = leg_of(${crossing}) AND batch_of(${crossing}) = ${crossing}
          THEN kind_of(${crossing}) ELSE 'none' END AS role,
        followed_id(i, 'f') AS followed,
        chance(i, 'direction', 100) < 60 AS sends
      FROM range(${segments * SEGMENT_TRANSACTIONS}) AS numbers (i)
    ),
    parties AS (
      SELECT i, followed,
        role NOT IN ('none', 'FailedWithdraw') AS is_leg,
        CASE
          WHEN role IN ('Withdraw', 'BatchWithdraw') THEN ${RELAYER}
          WHEN role = 'Deposit' OR sends THEN followed
          ELSE outsider_id(i, 'from')
        END AS from_id,
        CASE
          WHEN role = 'Deposit' THEN ${BRIDGE}
          WHEN role IN ('Withdraw', 'BatchWithdraw') OR NOT sends THEN followed
          WHEN chance(i, 'creates', 200) = 0 THEN NULL
          WHEN chance(i, 'self', 1000) = 0 THEN followed
          WHEN chance(i, 'within', 5) = 0 THEN followed_id(i, 'to')
          ELSE outsider_id(i, 'to')
        END AS to_id
      FROM roles
    )
    SELECT i, CAST(followed AS INTEGER) AS followed,
      CAST(from_id AS INTEGER) AS from_id, CAST(to_id AS INTEGER) AS to_id,
      NOT is_leg AND turn_of(i) >= 30 AND chance(i, 'fails', 100) < 8 AS has_failed,
      CAST(row_number() OVER (PARTITION BY from_id ORDER BY i) - 1 AS INTEGER) AS nonce
    FROM parties`;
}

/** The transactions of a chunk, by height and hash. */
export function transactionsSql({ firstSegment, endSegment }: Chunk): string {
  const [first, end] = [firstSegment, endSegment].map((nth) => nth * SEGMENT_TRANSACTIONS);
  return `WITH numbers AS (
      SELECT *, block_of(i) AS block_number,
        CASE WHEN chance(i, 'empty', 100) < 35 THEN 0 ELSE 1 + chance(i, 'u', 1000000000000) END
          AS units,
        CASE WHEN to_id IS NULL OR is_contract(to_id) THEN 40000 + chance(i, 'gas', 500000)
          ELSE 21000 END AS gas_used,
        1000000000 + chance(i, 'price', 29000000000) AS price
      FROM senders WHERE i >= ${first} AND i < ${end}
    )
    SELECT i AS _number, from_id AS _from_id, to_id AS _to_id, followed AS _followed,
      hash_of('t', i) AS tx_hash, hash_of('b', block_number) AS block_hash, block_number,
      time_of(seconds_of(block_number)) AS block_time,
      address_of(from_id) AS from_address, address_of(to_id) AS to_address,
      is_contract(from_id) AS from_is_contract,
      CASE WHEN to_id IS NOT NULL THEN is_contract(to_id) END AS to_is_contract,
      text_of(units, 9) AS amount_text, decimal_of(units, 0.000000001) AS amount,
      CASE WHEN is_contract(to_id) THEN '0x' || left(md5('m' || chance(i, 'm', 40)), 8) END
        AS method_id,
      'NATIVE' AS symbol, CAST(nonce AS BIGINT) AS nonce, gas_used, gas_used + 20000 AS gas_limit,
      CAST(price AS DECIMAL(38, 0)) AS gas_price,
      text_of(gas_used * price, 18) AS tx_fee_text,
      decimal_of(gas_used * price, 0.000000000000000001) AS tx_fee,
      CAST(2 * chance(i, 'type', 2) AS VARCHAR) AS tx_type,
      CASE WHEN has_failed THEN 'fail' ELSE 'success' END AS tx_status,
      1 AS occurrence, NULL AS list_position
    FROM numbers
    ORDER BY block_number, tx_hash`;
}

/** Units of 10^-6 of a transfer. Those of one transaction differ. */
const TRANSFER_UNITS = `chance(v, 'u', CAST(10 ** (6 + v % 6) AS BIGINT)) * 1000
  + (v % 100) * 10 + 1 + chance(v, 'last', 9)`;
/** Whole numbers that do not fit DECIMAL(38,18). */
const LARGE_TEXT = `(1 + v % 9) || lpad(CAST(chance(v, 'u', 1000000000000000) AS VARCHAR), 15, '0')
  || lpad(CAST(v % 100 AS VARCHAR), 2, '0') || '77777777'`;
const LARGE_ID = '115792089237316195423570985008687907853269984665640564039457';

/** The token transfers of a chunk; the transactions are read from the file. */
export function transfersSql({ firstSegment, endSegment }: Chunk, transactions: string): string {
  const [first, end] = [firstSegment, endSegment].map((nth) => nth * SEGMENT_TRANSFERS);
  return `WITH numbers AS (
      -- Every thousandth transfer is a copy of the one before.
      SELECT k, k - CASE k % 1000 WHEN 999 THEN 1 ELSE 0 END AS v
      FROM range(${first}, ${end}) AS numbers (k)
    ),
    drawn AS (
      SELECT k, v, token_of(v, 'k') AS token, standard_of(token) AS standard,
        number_of(v // ${SEGMENT_TRANSFERS}, CAST(floor(30 * pow(fraction(v, 'turn'), 2)) AS BIGINT))
          AS number,
        ${TRANSFER_UNITS} AS units,
        CASE WHEN chance(v, 'within', 4) = 0 THEN followed_id(v, 'other')
          ELSE outsider_id(v, 'other') END AS other
      FROM numbers
    ),
    parties AS (
      SELECT drawn.*, t.tx_hash, t.block_hash, t.block_number, t.block_time, t.tx_status,
        t.tx_fee_text, t.tx_fee, t.method_id,
        CASE WHEN chance(v, 'self', 1000) = 0 THEN _followed ELSE other END AS partner,
        chance(v, 'direction', 2) = 0 AS sends,
        CASE WHEN sends THEN _followed ELSE partner END AS from_id,
        CASE WHEN sends THEN partner ELSE _followed END AS to_id
      FROM drawn JOIN read_parquet(${transactions}) AS t ON t._number = drawn.number
    )
    SELECT tx_hash, block_hash, block_number, block_time,
      address_of(from_id) AS from_address, address_of(to_id) AS to_address,
      '0x' || sha1('k' || token) AS token_address,
      is_contract(from_id) AS from_is_contract, is_contract(to_id) AS to_is_contract,
      CASE
        WHEN standard = 'token_721' THEN '1'
        WHEN standard = 'token_1155' THEN CAST(1 + chance(v, 'u', 50) AS VARCHAR)
        WHEN token % 13 = 5 THEN ${LARGE_TEXT}
        ELSE text_of(units, 6)
      END AS amount_text,
      CASE
        WHEN standard = 'token_721' THEN 1
        WHEN standard = 'token_1155' THEN 1 + chance(v, 'u', 50)
        WHEN token % 13 <> 5 THEN decimal_of(units, 0.000001)
      END AS amount,
      'TOK' || token AS symbol,
      CASE
        WHEN standard = 'token_721' THEN CAST(v * 7919 % 10007 AS VARCHAR)
        WHEN standard = 'token_1155' THEN
          CASE token % 20 WHEN 19 THEN '${LARGE_ID}' ELSE '' END || (1000 + v * 7919 % 1009)
      END AS token_id,
      standard AS token_standard, tx_fee_text, tx_fee, tx_status, method_id,
      1 + k - v AS occurrence,
      row_number() OVER (PARTITION BY block_number, standard ORDER BY k) AS list_position
    FROM parties
    ORDER BY block_number, tx_hash, token_address, from_address, to_address, k`;
}

/** The internal transactions of a chunk. Many of them are equal, as on real chains. */
export function internalsSql({ firstSegment, endSegment }: Chunk, transactions: string): string {
  const [first, end] = [firstSegment, endSegment].map((nth) => nth * SEGMENT_INTERNALS);
  return `WITH drawn AS (
      SELECT k,
        number_of(k // ${SEGMENT_INTERNALS},
          20 + CAST(floor(30 * pow(fraction(k, 'inner turn'), 2)) AS BIGINT)) AS number,
        CASE WHEN chance(k, 'operation', 100) < 85 THEN 'call'
          WHEN chance(k, 'operation', 100) < 95 THEN 'delegatecall'
          ELSE 'staticcall' END AS operation,
        CASE WHEN operation <> 'call' OR chance(k, 'empty', 3) = 0 THEN 0
          ELSE 1 + chance(k, 'inner units', 10000000000) END AS units
      FROM range(${first}, ${end}) AS numbers (k)
    ),
    parties AS (
      SELECT drawn.*, t.tx_hash, t.block_hash, t.block_number, t.block_time, t.tx_status,
        ${FOLLOWED} + 7 * (1 + chance(t._number, 'contract', 2000)) AS contract,
        chance(k, 'sends', 4) = 0 AS sends,
        CASE WHEN sends THEN _followed ELSE contract END AS from_id,
        CASE WHEN sends THEN contract ELSE _followed END AS to_id
      FROM drawn JOIN read_parquet(${transactions}) AS t ON t._number = drawn.number
    )
    SELECT tx_hash, block_hash, block_number, block_time, operation,
      address_of(from_id) AS from_address, address_of(to_id) AS to_address,
      from_id > ${FOLLOWED} AS from_is_contract, to_id > ${FOLLOWED} AS to_is_contract,
      text_of(units, 9) AS amount_text, decimal_of(units, 0.000000001) AS amount,
      NULL AS tx_status, CASE tx_status WHEN 'fail' THEN 'fail' END AS _status,
      row_number() OVER (
        PARTITION BY tx_hash, from_id, to_id, units, operation ORDER BY k
      ) AS occurrence,
      NULL AS list_position
    FROM parties
    ORDER BY block_number, tx_hash, from_address, to_address, k`;
}

/** The newest blocks with what they declare, from files of their records. */
export function blocksSql(
  { detailed: { from, to }, head }: Sizes,
  transactions: string,
  internals: string,
): string {
  return `WITH sums AS (
      SELECT block_number, count(*) AS txn_count, sum(gas_used) AS gas_used,
        sum(amount) AS amount, sum(tx_fee) AS total_fee
      FROM read_parquet(${transactions}) WHERE block_number >= ${from} GROUP BY ALL
    ),
    calls AS (
      SELECT block_number, count(*) AS txn_internal
      FROM read_parquet(${internals}) WHERE block_number >= ${from} GROUP BY ALL
    ),
    numbers AS (
      SELECT block_number, coalesce(txn_count, 0) AS txn_count,
        coalesce(txn_internal, 0) AS txn_internal,
        CAST(coalesce(gas_used, 0) AS BIGINT) AS gas_used,
        CAST(coalesce(amount, 0) AS DECIMAL(38, 18)) AS amount,
        CAST(coalesce(total_fee, 0) AS DECIMAL(38, 18)) AS total_fee
      FROM range(${from}, ${to + 1}) AS heights (block_number)
      LEFT JOIN sums USING (block_number) LEFT JOIN calls USING (block_number)
    )
    SELECT 'Made-up chain' AS chain_full_name, 'MAINCHAIN' AS chain_short_name,
      hash_of('b', block_number) AS block_hash, block_number,
      time_of(seconds_of(block_number)) AS block_time, 'done' AS block_state,
      txn_count, txn_internal, gas_used, CAST(30000000 AS BIGINT) AS gas_limit,
      600 + 206 * txn_count AS block_size,
      trimmed(amount) AS amount_text, amount, trimmed(total_fee) AS total_fee_text, total_fee,
      '2' AS mine_reward_text, CAST(2 AS DECIMAL(38, 18)) AS mine_reward,
      'NATIVE' AS fee_symbol, CAST(0 AS BIGINT) AS ommer_blocks,
      address_of(outsider_id(block_number, 'miner')) AS validator, validator AS miner,
      '0x' || sha256('r' || block_number) AS merkle_root,
      '0x0000000000000000' AS block_nonce, CAST(${head} - block_number AS VARCHAR) AS confirmations,
      1 AS occurrence, NULL AS list_position
    FROM numbers
    ORDER BY block_number`;
}

/** The ranking of holders at the head. */
export function holdersSql({ head }: Sizes): string {
  return `SELECT CAST(${head} AS BIGINT) AS as_of_block, holder_rank, 'NATIVE' AS symbol,
      address_of(holder_rank) AS holder_address,
      text_of(1000000000000000 // holder_rank, 6) AS amount_text,
      decimal_of(1000000000000000 // holder_rank, 0.000001) AS amount,
      1 AS occurrence, NULL AS list_position
    FROM range(1, 10001) AS ranks (holder_rank)
    ORDER BY holder_rank`;
}
