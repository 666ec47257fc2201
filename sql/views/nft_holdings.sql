-- The NFTs that an address holds now, as far as the lake knows: one row per exported address,
-- chain, token and id that it holds or may hold.
--
-- Of a token with one owner per id (token_721) the first block that moves it in or out says whether
-- the address held it before: one that came in was not there. Transfers to itself alone say that it
-- held it, unless they failed. Of others (token_1155), and where every block moved it in and out,
-- the amount before the first exported block is zero where the ledger of the address is complete
-- from block 0 on, and unknown otherwise; `opening` says so in each row. A holding is known as of
-- complete_until, and only where no block between its legs is missing and the ledger holds all
-- transfers of such tokens, in and out. On the zone chain, whose actions may move amounts that no
-- record names, it is always unknown.
--
-- example: SELECT token_address, token_id, amount_text FROM nft_holdings WHERE address =
--   lower('0x...') AND is_held
-- column: address | The exported address, in lower case
-- column: label | Label of the address | labels
-- column: followed | true where the address was asked for by name
-- column: axis | primary or zone: the chain that it holds the token on
-- column: token_address | Contract of the token
-- column: token_id | Id of the token
-- column: symbol | Symbol from the tokens CSV, else one that records have
-- column: token_standard | Protocol type of the token
-- column: opening | Amount before the first exported block: zero, held (one of a token with one
--   owner per id) or unknown
-- column: is_held | true where the address holds it; NULL where that is unknown
-- column: amount_text | Exact amount that it holds; NULL where unknown [token]
-- column: amount_double | The nearest double [token]
-- column: net_text | What came in less what went out in the exported blocks, exact [token]
-- column: legs | Legs of the ledger with this id
-- column: last_block | Height of the last of them
-- column: last_date | Day of the last of them [UTC]
-- column: complete_from | First block of the range without gaps that holds the first leg; NULL
--   where none does | complete_ranges
-- column: complete_until | Last block of this range | complete_ranges
-- column: coverage_status | The worst status of a leg among them | address_activity
-- column: reconciled | complete, and nodes agree with the ledger of the address | reconciliations
CREATE VIEW nft_holdings AS
WITH blocks AS (
  SELECT
    address, axis, token_address, token_standard, token_id, block_number, block_date,
    max(symbol) AS symbol,
    exact_sum(signed_text) AS net_text,
    count(*) AS legs,
    count(*) - count(signed_text) AS unknown_legs,
    -- Whether the legs that moved it, or may have, are transfers to itself; NULL without any.
    bool_and(coalesce(counterparty = address, false))
      FILTER (signed_text IS DISTINCT FROM '0') AS is_to_itself,
    max(status_rank_of(coverage_status)) AS status_rank
  FROM (
    SELECT * FROM curated.address_activity
    UNION ALL
    SELECT * FROM curated.zone_address_activity
  )
  WHERE token_id IS NOT NULL
  GROUP BY address, axis, token_address, token_standard, token_id, block_number, block_date
),
before AS (
  SELECT *,
    -- Whether the address held the one piece of a token_721 before this block; NULL: unknown.
    CASE
      WHEN unknown_legs > 0 OR status_rank > 1 THEN NULL
      WHEN net_text = '1' THEN 'zero'
      WHEN net_text = '-1' OR is_to_itself THEN 'held'
    END AS before_block
  FROM blocks
),
sums AS (
  SELECT
    address, axis, token_address, token_standard, token_id,
    max(symbol) AS symbol,
    exact_sum(net_text) AS net_text,
    arg_min(before_block, block_number) AS first_known,
    min(block_number) FILTER (before_block IS NOT NULL) AS first_known_at,
    CAST(sum(legs) AS BIGINT) AS legs,
    CAST(sum(unknown_legs) AS BIGINT) AS unknown_legs,
    min(block_number) AS first_block,
    max(block_number) AS last_block,
    max(block_date) AS last_date,
    status_of(max(status_rank)) AS coverage_status
  FROM before
  GROUP BY address, axis, token_address, token_standard, token_id
),
ranged AS (
  SELECT
    sums.*,
    sums.axis = 'primary' AND has_all_transfers(
      sums.address, sums.token_address, token_standard, known_range.from_block
    ) AS has_all,
    known_range.from_block AS complete_from,
    known_range.to_block AS complete_until
  FROM sums
  LEFT JOIN known.complete_ranges AS known_range
    ON known_range.followed_address = sums.address AND known_range.axis = sums.axis
    AND sums.first_block BETWEEN known_range.from_block AND known_range.to_block
),
stated AS (
  SELECT *,
    has_all AND unknown_legs = 0 AND coverage_status = 'complete'
      AND coalesce(last_block <= complete_until, false) AS is_gapless,
    CASE
      -- Blocks that moved it in and out left it as it was, if none is missing among them.
      WHEN token_standard = 'token_721' AND (first_known_at = first_block OR is_gapless)
        AND first_known IS NOT NULL THEN first_known
      WHEN has_all AND complete_from = 0
        AND coalesce(net_text, '0') NOT LIKE '-%' THEN 'zero'
      ELSE 'unknown'
    END AS opening
  FROM ranged
),
held AS (
  SELECT *,
    CASE
      WHEN NOT is_gapless THEN NULL
      WHEN opening = 'zero' THEN coalesce(net_text, '0')
      WHEN opening = 'held' THEN CASE net_text WHEN '-1' THEN '0' WHEN '0' THEN '1' END
    END AS held_text
  FROM stated
)
SELECT
  held.address, own.label,
  held.address IN (SELECT address FROM known.followed) AS followed,
  axis, held.token_address, token_id, coalesce(token.symbol, held.symbol) AS symbol,
  token_standard, opening,
  CASE
    WHEN held_text IS NOT NULL THEN held_text <> '0'
    -- Whatever it held before, it holds at least as much as came in.
    WHEN is_gapless AND net_text NOT LIKE '-%' AND net_text <> '0' THEN true
  END AS is_held,
  held_text AS amount_text, TRY_CAST(held_text AS DOUBLE) AS amount_double,
  net_text, legs, last_block, last_date, complete_from, complete_until, coverage_status,
  is_reconciled(
    coverage_status, first_block, last_block, proof.from_block, proof.to_block
  ) AS reconciled
FROM held
LEFT JOIN lake.labels AS own ON known.has_names() AND own.address = held.address
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = held.token_address
LEFT JOIN known.reconciled AS proof
  ON known.has_names() AND axis = 'primary'
  AND proof.owner = held.address AND proof.asset = held.token_address
  AND proof.asset_id = id_in_proof(token_standard, held.token_id)
WHERE held_text IS NULL OR held_text <> '0';
