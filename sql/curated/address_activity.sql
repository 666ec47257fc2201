-- The signed ledger of every exported address, over both chains: one row per address and leg of a
-- record that names it. Exported are the addresses that were asked for, and all that are named in
-- whole exported blocks. Legs: `value` (primary value), `fee` (the sender pays it, whatever the
-- status), `internal` (value moved by calls), `token`; `cross_chain` (the amount of a cross-chain
-- transfer on the zone chain) and `zone` (other zone transactions).
--
-- Sum by axis and token_address: one address has a balance on each chain. The primary side of a
-- cross-chain transfer consists of value, internal and token legs, so it has no leg of its own.
--
-- A transfer from an address to itself gives two rows, one `out` and one `in`, whose sum is zero;
-- counterparty is then the address itself. A record that names several senders or recipients gives
-- a row to each of them: amount_text is the whole amount, and signed_amount is NULL, because the
-- shares are unknown. Only the one sender of a cross-chain batch is known to give the whole amount.
--
-- signed_amount is NULL, never guessed, where the status or the operation is unknown, where a zone
-- transaction's action may have moved its amount to any address, and where the amount does not fit.
-- It is 0 for what surely moved nothing: failed transactions, calls and transfers, delegatecall,
-- staticcall and callcode, amounts of zero, and zone transactions without an amount or whose amount
-- a cross_chain leg has. Token records are events, which only successful transactions leave.
-- signed_text is exact whatever its size: sum it with exact_sum, because SUM over DECIMAL leaves
-- out what does not fit, and ends with an error past 1e20. Charts take signed_double.
--
-- column: address | The exported address this row is about, in lower case
-- column: axis | primary or zone: the chain that it moves on, and whose heights these are
-- column: block_number | Height of the block
-- column: block_time | Time of the block [UTC]
-- column: block_date | Day of the block [UTC]
-- column: tx_hash | Hash of the transaction; on the zone chain for zone and cross_chain legs
-- column: leg | value, fee, internal, token, cross_chain or zone
-- column: direction | out (the address pays) or in (the address receives)
-- column: counterparty | The other side: several addresses are separated by commas; NULL for fees,
--   creations and zone legs
-- column: symbol | Symbol of what moves, as of the reading; NULL where records have none
-- column: token_address | Contract of the token; NULL for the native token of the primary chain and
--   for zone legs, whose token is unknown; the zero address for the native token on the zone chain
-- column: token_id | Id of the token for NFT standards
-- column: token_standard | Protocol type of the token; NULL for the native token
-- column: amount_text | Exact amount, without sign [native token or token] | amount_text or
--   tx_fee_text
-- column: amount_double | The nearest double, for charts and sorting [native token or token]
-- column: signed_amount | Gain (positive) or loss (negative) of the address; NULL where it is
--   unknown [native token or token] | amount or tx_fee
-- column: signed_text | As exact text of any size; NULL where it is unknown [native token or token]
--   | amount_text or tx_fee_text
-- column: signed_double | The nearest double, for charts and sorting [native token or token]
-- column: tx_status | success, fail or pending; NULL where no record says it
-- column: succeeded | true for success, false for fail, else NULL
-- column: source | Dataset the record stands in
-- column: coverage_status | complete where everything of this kind is known of the address at this
--   height, from whichever list; else the best status of such coverage, or none; never better than
--   that of the record | lake.reach
WITH records AS (
  SELECT *,
    CASE direction WHEN 'out' THEN from_address ELSE to_address END AS party,
    CASE direction WHEN 'out' THEN to_address ELSE from_address END AS counterparty,
    CASE direction WHEN 'out' THEN 'from' ELSE 'to' END AS side,
    -- A batch names several recipients, and its one sender gives the whole amount.
    CASE WHEN leg = 'cross_chain' AND direction = 'out'
      THEN coalesce(contains(from_address, ','), false)
      ELSE coalesce(contains(from_address, ','), false)
        OR coalesce(contains(to_address, ','), false)
    END AS is_shared
  FROM known.legs
),
legs AS (
  SELECT *,
    unnest(CASE WHEN contains(party, ',') THEN addresses_in(party) ELSE [party] END) AS address
  FROM records
  WHERE party IS NOT NULL
)
SELECT
  legs.address, axis, block_number, block_time, block_date, tx_hash,
  leg, direction, counterparty,
  symbol, token_address, token_id, token_standard, amount_text,
  amount_double,
  CAST(
    CASE
      WHEN NOT moves OR amount = 0 THEN 0
      WHEN is_shared THEN NULL
      WHEN moves THEN CASE direction WHEN 'out' THEN -amount ELSE amount END
    END AS DECIMAL(38, 18)
  ) AS signed_amount,
  CASE
    WHEN NOT moves OR amount = 0 THEN '0'
    WHEN is_shared THEN NULL
    WHEN moves THEN CASE direction WHEN 'out' THEN '-' || amount_text ELSE amount_text END
  END AS signed_text,
  CASE
    WHEN NOT moves OR amount = 0 THEN 0
    WHEN is_shared THEN NULL
    WHEN moves THEN CASE direction WHEN 'out' THEN -amount_double ELSE amount_double END
  END AS signed_double,
  tx_status, has_succeeded(tx_status) AS succeeded, source,
  -- A record that complete lists do not hold may have left the chain; its own status says so.
  status_of(
    greatest(
      legs.status_rank,
      coalesce(least(own.status_rank, narrow.status_rank, whole_chain.status_rank), 7)
    )
  ) AS coverage_status
FROM legs
LEFT JOIN known.followed AS followed ON followed.address = legs.address
LEFT JOIN known.best AS own
  ON own.key = legs.address
  AND own.dataset = source
  AND own.scope = legs.scope
  AND own.side = legs.side
  AND block_number BETWEEN own.from_block AND own.to_block
-- Lists that were narrowed to one token say what is known of that token alone.
LEFT JOIN (FROM known.best WHERE contains(scope, 'token_address=')) AS narrow
  ON narrow.key = legs.address
  AND narrow.dataset = source
  AND narrow.scope = legs.narrow_scope
  AND narrow.side = legs.side
  AND block_number BETWEEN narrow.from_block AND narrow.to_block
LEFT JOIN known.best AS whole_chain
  ON whole_chain.key = ''
  AND whole_chain.dataset = source
  AND whole_chain.scope = legs.scope
  AND whole_chain.part = known.part_of(block_number)
  AND block_number BETWEEN whole_chain.from_block AND whole_chain.to_block
WHERE followed.address IS NOT NULL OR whole_chain.status_rank <= 2;
