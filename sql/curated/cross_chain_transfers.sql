-- Transfers between the primary chain and the zone chain: one row per record, every copy of it. One
-- zone transaction may leave several records, and lists do not number them, so two rows that are
-- equal in every column are two transfers.
--
-- Where the records of a zone transaction were looked up completely, they are what the look-up
-- says, with all details. Of others, a record that several lists hold (both transactions, kind,
-- parties, token and amount) is shown as the best of them has it, with all its copies. Records with
-- status fail are among the rows: they moved nothing.
--
-- column: zone_block_number | Height of the zone transaction on the zone chain
-- column: zone_block_time | Time of that block [UTC]
-- column: block_date | Day of that block [UTC]
-- column: zone_tx_hash | Hash of the transaction on the zone chain
-- column: main_block_number | Height of the primary transaction on the primary chain
-- column: main_block_time | Time of that block [UTC]
-- column: main_tx_hash | Hash of the transaction on the primary chain
-- column: direction | MainToZone or ZoneToMain
-- column: cross_type | Deposit, Withdraw or BatchWithdraw
-- column: cross_status | success or fail; lake.cross_chain_transfers has it as served
-- column: succeeded | true for success, false for fail; NULL while pending or unknown
-- column: source_address | Who really sent
-- column: target_address | Who really receives
-- column: from_address | Link-layer signer
-- column: to_address | Destination of the transaction
-- column: token_address | Contract of the token; the zero address stands for the native token
-- column: token_standard | ERC20 or ERC1155
-- column: token_id | Id of the token for ERC1155
-- column: token_name | Name of the token, as of the reading
-- column: amount_text | Exact amount, with the token's precision applied [token]
-- column: amount | The same as a number; NULL where it does not fit [token]
-- column: amount_double | The same as the nearest double, for charts and sorting; its sums are
--   rounded [token]
-- column: amount_raw | Exact amount in the smallest unit [smallest unit]
-- column: cross_id | Hash of the cross-chain transaction; empty in lists, and it need not equal the
--   hash on either chain
-- column: zone_event_index | Index of the event in its block; only where details were looked up
-- column: zone_block_hash | Hash of the zone block; only where details were looked up
-- column: batch_detail | Parts of a batch withdrawal, as JSON; only where details were looked up
-- column: update_time | When the record changed last [UTC]; only where details were looked up
-- column: published_block_number | Height on the publishing side; only where details were looked up
-- column: coverage_status | complete where the list that served the row is complete for a key it
--   names: its hash, an address, or all at this height of the zone chain; else the status of that
--   coverage, or none | lake.coverage
-- column: sources | Endpoint of the list that the row comes from
SELECT
  t.zone_block_number, t.zone_block_time,
  day_of(t.zone_block_time) AS block_date, t.zone_tx_hash,
  t.main_block_number, t.main_block_time, t.main_tx_hash,
  t.direction, t.cross_type,
  status_word(t.cross_status) AS cross_status,
  has_succeeded(status_word(t.cross_status)) AS succeeded,
  t.source_address, t.target_address, t.from_address, t.to_address,
  t.token_address, t.token_standard, t.token_id, t.token_name,
  t.amount_text, t.amount, TRY_CAST(t.amount_text AS DOUBLE) AS amount_double, t.amount_raw,
  t.cross_id, t.zone_event_index, t.zone_block_hash, t.batch_detail, t.update_time,
  t.published_block_number,
  status_of(t._status_rank) AS coverage_status, [t._endpoint] AS sources
FROM known.cross_chain_transfers AS t
ANTI JOIN known.looked_up AS u
  ON u.dataset = 'cross_chain_transfers' AND u.tx_hash = t.zone_tx_hash
  AND t.zone_block_number BETWEEN u.from_block AND u.to_block
  AND u.key_kind IS DISTINCT FROM t._key_kind
-- Without a hash nothing says that two lists hold one record.
QUALIFY t.zone_tx_hash IS NULL
  OR list_order(t._status_rank, t._list) = min(list_order(t._status_rank, t._list)) OVER (
    PARTITION BY t.zone_block_number, t.zone_tx_hash, t.main_tx_hash, t.cross_type,
      t.source_address, t.target_address, t.token_address, t.token_id, t.amount_text
  );
