-- Preconfirmed transactions and their outcome on the chain: one row per transaction.
--
-- example: SELECT outcome, count(*), median(seconds_gained) FROM preconfirmations GROUP BY outcome
-- column: tx_hash | Hash of the transaction
-- column: first_seen | When it was received first [UTC]
-- column: block_number | Height that its newest payload announced
-- column: payload_id | Payload that announced it first
-- column: fragment_index | Fragment that announced it first
-- column: from_address | Sender from its signature; NULL if that is not valid
-- column: to_address | Recipient, NULL for a creation
-- column: nonce | Transactions the sender had sent before; NULL for deposits
-- column: tx_type | Type in hex; 0x7e for deposits
-- column: value_text | Exact value [wei]
-- column: outcome | settled in the announced block, moved to another one, replaced by another
--   transaction with its sender and nonce, dropped, or unknown: the block has not landed whole
-- column: settled_block | Height of its block on the chain
-- column: settled_time | Time of this block [UTC]
-- column: seconds_gained | Time from the preconfirmation to the time of the block [seconds]
-- column: replaced_by | Transaction that replaced it
CREATE VIEW preconfirmations AS
WITH announced AS (
  SELECT
    tx_hash,
    min(received_at) AS first_seen,
    arg_max(block_number, frame) AS block_number,
    arg_min(payload_id, frame) AS payload_id,
    arg_min(fragment_index, frame) AS fragment_index,
    any_value(from_address) AS from_address,
    any_value(to_address) AS to_address,
    any_value(nonce) AS nonce,
    any_value(tx_type) AS tx_type,
    any_value(value_text) AS value_text
  FROM lake.preconf_transactions
  GROUP BY tx_hash
),
landed AS (
  SELECT t.tx_hash, min(t.block_number) AS block_number, min(t.block_time) AS block_time
  FROM curated.transactions AS t
  WHERE t.tx_hash IN (SELECT tx_hash FROM announced)
  GROUP BY t.tx_hash
),
replacements AS (
  SELECT a.tx_hash, min(t.tx_hash) AS replaced_by
  FROM announced AS a
  JOIN curated.transactions AS t
    ON t.from_address = a.from_address AND t.nonce = a.nonce AND t.tx_hash <> a.tx_hash
  GROUP BY a.tx_hash
),
whole_blocks AS (
  SELECT DISTINCT block_number FROM preconf_payloads WHERE chain_tx_count IS NOT NULL
)
SELECT
  a.tx_hash, a.first_seen, a.block_number, a.payload_id, a.fragment_index, a.from_address,
  a.to_address, a.nonce, a.tx_type, a.value_text,
  CASE
    WHEN l.block_number = a.block_number THEN 'settled'
    WHEN l.block_number IS NOT NULL THEN 'moved'
    WHEN r.replaced_by IS NOT NULL THEN 'replaced'
    WHEN w.block_number IS NOT NULL THEN 'dropped'
    ELSE 'unknown'
  END AS outcome,
  l.block_number AS settled_block,
  l.block_time AS settled_time,
  epoch(l.block_time - a.first_seen) AS seconds_gained,
  CASE WHEN l.block_number IS NULL THEN r.replaced_by END AS replaced_by
FROM announced AS a
LEFT JOIN landed AS l ON l.tx_hash = a.tx_hash
LEFT JOIN replacements AS r ON r.tx_hash = a.tx_hash
LEFT JOIN whole_blocks AS w ON w.block_number = a.block_number;
