-- Transfers between the primary chain and the zone chain: one row per record, every copy of it. One
-- zone transaction may leave several records, and lists do not number them, so two rows that are
-- equal in every column are two transfers.
--
-- Where the records of a zone transaction were looked up completely, they are what the look-up
-- says, with all details. Of others, a record that several lists hold (both transactions, kind,
-- parties, token and amount) is shown as the best of them has it, with all its copies. If all of
-- these lists are complete, a field that the best one lacks comes from the others, where all their
-- copies of the record have one value. Records with status fail are among the rows: they moved
-- nothing.
--
-- A service fills in the primary half of a crossing later. If one list has this half in all its
-- records of the same kind, parties, token and amount in a zone transaction, records of other lists
-- without it are left out.
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
-- column: succeeded | true for success, false for fail, else NULL
-- column: source_address | Who really sent
-- column: target_address | Who really receives
-- column: from_address | Link-layer signer
-- column: to_address | Destination of the transaction
-- column: token_address | Contract of the token; the zero address stands for the native token
-- column: token_standard | ERC20 or ERC1155
-- column: token_id | Id of the token for ERC1155
-- column: token_name | Name of the token, as of the reading
-- column: amount_text | Exact amount, with the token's precision applied [token]
-- column: amount | As a number; NULL where it does not fit [token]
-- column: amount_double | The nearest double, for charts and sorting [token]
-- column: amount_raw | Exact amount in the smallest unit [smallest unit]
-- column: cross_id | Hash of the cross-chain transaction; empty in lists, and it need not equal the
--   hash on either chain
-- column: zone_event_index | Index of the event in its block; only where details were looked up
-- column: zone_block_hash | Hash of the zone block; only where details were looked up
-- column: batch_detail | Parts of a batch withdrawal, as JSON; only where details were looked up
-- column: update_time | When the record changed last [UTC]; only where details were looked up
-- column: published_block_number | Height on the publishing side; only where details were looked up
-- column: coverage_status | complete where the list that the row comes from is complete for a key
--   it names: its hash, an address, or all at this height of the zone chain; else the status of
--   that coverage, or none | lake.coverage
-- column: sources | Endpoints of the lists that hold the record
WITH looked_up AS (
  SELECT t.*, list_order(t._status_rank, t._list) AS _order,
    is_within_any(t.zone_block_number, u.intervals) AS _is_looked_up,
    zone_tx_hash IS NOT NULL AND bool_or(main_tx_hash IS NULL) OVER (
      PARTITION BY zone_block_number, zone_tx_hash, cross_type,
        source_address, target_address, token_address, token_id, amount_text, _list
    ) AS _is_older
  FROM known.cross_chain_transfers AS t
  LEFT JOIN known.looked_up AS u
    ON u.dataset = 'cross_chain_transfers' AND u.tx_hash = t.zone_tx_hash
    AND t._key_kind IS DISTINCT FROM 'transaction'
),
ranked AS (
  SELECT *,
    _is_looked_up AND (
        _is_older OR _status_rank > 2
        OR NOT bool_or(_is_older AND _key_kind = 'transaction') OVER kind
      )
      OR main_tx_hash IS NULL AND bool_or(NOT _is_older AND _status_rank <= 2) OVER kind
      AS _is_replaced
  FROM looked_up
  WINDOW kind AS (
    PARTITION BY zone_block_number, zone_tx_hash, cross_type,
      source_address, target_address, token_address, token_id, amount_text
  )
),
chosen AS (
  SELECT *,
    agreed(min(cross_id) OVER alike, max(cross_id) OVER alike) AS _cross_id,
    agreed(min(zone_event_index) OVER alike, max(zone_event_index) OVER alike) AS _zone_event_index,
    agreed(min(zone_block_hash) OVER alike, max(zone_block_hash) OVER alike) AS _zone_block_hash,
    agreed(min(batch_detail) OVER alike, max(batch_detail) OVER alike) AS _batch_detail,
    agreed(min(update_time) OVER alike, max(update_time) OVER alike) AS _update_time,
    agreed(min(published_block_number) OVER alike, max(published_block_number) OVER alike)
      AS _published_block_number,
    -- Then every list that holds the record has all of its copies.
    zone_tx_hash IS NOT NULL AND _status_rank <= 2
      AND min(_status_rank) OVER alike = max(_status_rank) OVER alike AS _is_sure,
    bit_or(1 << _endpoint_rank) OVER alike AS _endpoints
  FROM ranked
  WINDOW alike AS (
    PARTITION BY zone_block_number, zone_tx_hash, main_tx_hash, cross_type,
      source_address, target_address, token_address, token_id, amount_text
  )
  -- Without a hash nothing says that two lists hold one record.
  QUALIFY NOT _is_replaced
    AND (zone_tx_hash IS NULL OR _order = min(_order) FILTER (NOT _is_replaced) OVER alike)
),
shown AS (
  SELECT * REPLACE (
      filled(cross_id, _cross_id, _is_sure) AS cross_id,
      filled(zone_event_index, _zone_event_index, _is_sure) AS zone_event_index,
      filled(zone_block_hash, _zone_block_hash, _is_sure) AS zone_block_hash,
      filled(batch_detail, _batch_detail, _is_sure) AS batch_detail,
      filled(update_time, _update_time, _is_sure) AS update_time,
      filled(published_block_number, _published_block_number, _is_sure) AS published_block_number
    )
  FROM chosen
)
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
  status_of(t._status_rank) AS coverage_status, coalesce(held.endpoints, [t._endpoint]) AS sources
FROM shown AS t
LEFT JOIN known.holders AS held
  ON held.dataset = 'cross_chain_transfers' AND held.bits = t._endpoints;
