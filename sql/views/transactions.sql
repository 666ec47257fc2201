-- Normal transactions of the primary chain: one row per transaction hash. Where several lists
-- (endpoints and variants) hold a transaction, its row is the one whose list is complete, then the
-- one read last, so what may change is as new as possible. Failed transactions are among the rows:
-- an amount here has not moved for certain.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: tx_hash | Hash of the transaction
-- column: from_address | Sender; several addresses are separated by commas
-- column: to_address | Recipient, NULL for a creation; several are separated by commas
-- column: amount_text | Exact amount, moved if the transaction succeeded [native token]
-- column: amount | The same as a number; NULL where it does not fit [native token]
-- column: symbol | Symbol of the native token
-- column: tx_fee_text | Exact fee, paid by the sender whatever the status [native token]
-- column: tx_fee | The same as a number; NULL where it does not fit [native token]
-- column: tx_status | success, fail or pending; NULL, because no endpoint that feeds this dataset
--   serves a status yet
-- column: nonce | Transactions the sender had sent before this one
-- column: method_id | Identifier of the method called
-- column: tx_type | 0 original, 1 EIP2930, 2 EIP1559; others exist on real chains
-- column: gas_used | Gas used [gas]
-- column: gas_limit | Gas allowed [gas]
-- column: gas_price | Price of one unit of gas [wei]
-- column: block_hash | Hash of the block
-- column: from_is_contract | The sender is a contract, as of the newest reading
-- column: to_is_contract | The recipient is a contract, as of the newest reading
-- column: coverage_status | complete where the list that served the row is complete, at this
--   height, for an address that the row names; else the status of that coverage, or none
--   | lake.coverage
-- column: _endpoint | Endpoint the row comes from
-- column: _variant | Filters it was asked with
CREATE VIEW transactions AS
WITH covered AS (
  SELECT
    t.*,
    CASE
      WHEN 'complete' IN (sent.status, received.status) THEN 'complete'
      ELSE coalesce(sent.status, received.status, 'none')
    END AS coverage_status
  FROM lake.transactions AS t
  LEFT JOIN lake.coverage AS sent
    ON sent.address = t.from_address
    AND sent.endpoint = t._endpoint
    AND sent.variant = t._variant
    AND sent.side <> 'to'
    AND t.block_number BETWEEN sent.from_block AND sent.to_block
  LEFT JOIN lake.coverage AS received
    ON received.address = t.to_address
    AND received.endpoint = t._endpoint
    AND received.variant = t._variant
    AND received.side <> 'from'
    AND t.block_number BETWEEN received.from_block AND received.to_block
  WHERE coalesce(len(t.from_addresses), 0) <= 1 AND coalesce(len(t.to_addresses), 0) <= 1
  UNION ALL
  -- Records that name several addresses are rare, so these may take the slow way.
  SELECT
    t.*,
    (
      SELECT CASE WHEN bool_or(c.status = 'complete') THEN 'complete'
                  ELSE coalesce(min(c.status), 'none') END
      FROM (
        SELECT unnest(t.from_addresses) AS address, 'to' AS other_side
        UNION ALL
        SELECT unnest(t.to_addresses), 'from'
      ) AS named
      JOIN lake.coverage AS c
        ON c.address = named.address
        AND c.endpoint = t._endpoint
        AND c.variant = t._variant
        AND c.side <> named.other_side
        AND t.block_number BETWEEN c.from_block AND c.to_block
    )
  FROM lake.transactions AS t
  WHERE len(t.from_addresses) > 1 OR len(t.to_addresses) > 1
)
SELECT
  block_number, block_time, tx_hash, from_address, to_address, amount_text, amount, symbol,
  tx_fee_text, tx_fee, CAST(NULL AS VARCHAR) AS tx_status, nonce, method_id, tx_type,
  gas_used, gas_limit, gas_price, block_hash, from_is_contract, to_is_contract,
  coverage_status, _endpoint, _variant
FROM covered
-- Without a hash nothing says that two rows are one transaction.
QUALIFY tx_hash IS NULL OR row_number() OVER (
  PARTITION BY tx_hash
  ORDER BY coverage_status = 'complete' DESC, _fetched_at DESC, _endpoint, _variant, block_number
) = 1;
