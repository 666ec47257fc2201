-- Token transfers of the primary chain: one row per transfer that an endpoint listed, every copy of
-- it. Two rows that are equal in every column are two transfers; counting DISTINCT rows loses some.
-- Where two lists (_variant) hold the same transfer, both rows are here: the check
-- overlapping_lists tells, and address_activity counts such transfers once.
--
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: tx_hash | Hash of the transaction
-- column: token_address | Contract of the token
-- column: token_standard | Protocol type of the token
-- column: token_id | Id of the token for NFT standards
-- column: symbol | Symbol of the token, as of the reading; chosen by whoever made the token
-- column: from_address | Sender; several addresses are separated by commas
-- column: to_address | Recipient; several are separated by commas
-- column: amount_text | Exact amount, as the service states it; add with exact_sum [token]
-- column: amount | The same as a number; NULL where it does not fit [token]
-- column: tx_status | success or fail; NULL, because no endpoint that feeds this dataset serves a
--   status: transfers are events, which only successful transactions leave
-- column: block_hash | Hash of the block
-- column: from_is_contract | The sender is a contract, as of the newest reading
-- column: to_is_contract | The recipient is a contract, as of the newest reading
-- column: occurrence | 1 for the first of several equal records of a walk, 2 for the second, ...
-- column: coverage_status | complete where the list that served the row is complete, at this
--   height, for an address that the row names; else the status of that coverage, or none
--   | lake.coverage
-- column: _endpoint | Endpoint the row comes from
-- column: _variant | Filters it was asked with
CREATE VIEW token_transfers AS
WITH covered AS (
  SELECT
    t.*,
    CASE
      WHEN 'complete' IN (sent.status, received.status) THEN 'complete'
      ELSE coalesce(sent.status, received.status, 'none')
    END AS coverage_status
  FROM lake.token_transfers AS t
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
  FROM lake.token_transfers AS t
  WHERE len(t.from_addresses) > 1 OR len(t.to_addresses) > 1
)
SELECT
  block_number, block_time, tx_hash, token_address, token_standard, token_id, symbol,
  from_address, to_address, amount_text, amount,
  CAST(NULL AS VARCHAR) AS tx_status, block_hash, from_is_contract, to_is_contract,
  _occurrence AS occurrence, coverage_status, _endpoint, _variant
FROM covered;
