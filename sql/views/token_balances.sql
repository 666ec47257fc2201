-- How much of each fungible token an address holds, as far as the lake knows: one row per exported
-- address, chain and token. NFTs are in nft_holdings.
--
-- net_text is what came in less what went out in the exported blocks, exact. It is the balance only
-- where the balance before the first exported block is known, and `opening` says so in each row:
-- `zero` where the ledger of the address is complete from block 0 on and holds all transfers of
-- such tokens, in and out; `unknown` otherwise. It is always unknown for the native token of the
-- primary chain, of which addresses may own some before block 0, on the zone chain, whose actions
-- may move amounts that no record names, and where more went out than came in.
--
-- example: SELECT symbol, opening, balance_text, net_text FROM token_balances WHERE address =
--   lower('0x...')
-- column: address | The exported address, in lower case
-- column: label | Label of the address | labels
-- column: followed | true where the address was asked for by name
-- column: axis | primary or zone: the chain that it holds the token on
-- column: token_address | Contract of the token; NULL for the native token of the primary chain,
--   the zero address for the native token on the zone chain
-- column: symbol | Symbol from the tokens CSV, else one that records have
-- column: token_standard | Protocol type of the token; NULL for the native token
-- column: decimals | Decimal places of the token; NULL where the tokens CSV has none | tokens
-- column: opening | Balance before the first exported block: zero or unknown
-- column: balance_text | Exact balance; NULL where opening or a leg is unknown [token]
-- column: balance_double | The nearest double [token]
-- column: received_text | Exact sum of what came in [token]
-- column: sent_text | Exact sum of what went out, fees included [token]
-- column: net_text | received_text less sent_text, exact [token]
-- column: net_double | As a rounded double, for charts and sorting [token]
-- column: legs | Legs of the ledger with this token
-- column: unknown_legs | Of these, how many may or may not have moved an amount
-- column: last_block | Height of the last of them
-- column: last_date | Day of the last of them [UTC]
-- column: complete_from | First block of the range without gaps that holds the first leg; NULL
--   where none does | complete_ranges
-- column: complete_until | Last block of this range | complete_ranges
-- column: coverage_status | The worst status of a leg among them | address_activity
-- column: reconciled | complete, and nodes agree with the ledger of the address | reconciliations
CREATE VIEW token_balances AS
WITH sums AS (
  SELECT
    address, axis, token_address, token_standard,
    max(symbol) AS symbol,
    coalesce(
      exact_total(
        CASE direction WHEN 'in' THEN signed_amount END,
        CASE direction WHEN 'in' THEN signed_text END
      ),
      '0'
    ) AS received_text,
    coalesce(
      exact_total(
        CASE direction WHEN 'out' THEN -signed_amount END,
        CASE direction WHEN 'out' THEN ltrim(signed_text, '-') END
      ),
      '0'
    ) AS sent_text,
    fsum(signed_double) AS net_double,
    count(*) AS legs,
    count(*) - count(signed_text) AS unknown_legs,
    min(block_number) AS first_block,
    max(block_number) AS last_block,
    max(block_date) AS last_date,
    status_of(max(status_rank_of(coverage_status))) AS coverage_status
  FROM (
    SELECT * FROM curated.address_activity
    UNION ALL
    SELECT * FROM curated.zone_address_activity
  )
  WHERE leg <> 'zone' AND token_id IS NULL
  GROUP BY address, axis, token_address, token_standard
),
stated AS (
  SELECT
    sums.*,
    exact_difference(received_text, sent_text) AS net_text,
    CASE
      WHEN sums.axis = 'primary' AND sums.token_address IS NOT NULL AND known_range.from_block = 0
        AND has_all_transfers(sums.address, sums.token_address, token_standard, 0)
        AND net_text NOT LIKE '-%'
        AND sums.last_block <= known_range.to_block AND sums.coverage_status = 'complete'
        THEN 'zero'
      ELSE 'unknown'
    END AS opening,
    known_range.from_block AS complete_from,
    known_range.to_block AS complete_until
  FROM sums
  LEFT JOIN known.complete_ranges AS known_range
    ON known_range.followed_address = sums.address AND known_range.axis = sums.axis
    AND sums.first_block BETWEEN known_range.from_block AND known_range.to_block
)
SELECT
  stated.address, own.label,
  stated.address IN (SELECT address FROM known.followed) AS followed,
  axis, stated.token_address, coalesce(token.symbol, stated.symbol) AS symbol, token_standard,
  token.decimals, opening,
  CASE WHEN opening = 'zero' AND unknown_legs = 0
    THEN net_text END AS balance_text,
  TRY_CAST(balance_text AS DOUBLE) AS balance_double,
  received_text, sent_text, net_text, net_double,
  legs, unknown_legs, last_block, last_date, complete_from, complete_until, coverage_status,
  is_reconciled(
    coverage_status, first_block, last_block, proof.from_block, proof.to_block
  ) AS reconciled
FROM stated
LEFT JOIN lake.labels AS own ON known.has_names() AND own.address = stated.address
LEFT JOIN lake.tokens AS token ON known.has_names() AND token.token_address = stated.token_address
LEFT JOIN known.reconciled AS proof
  ON known.has_names() AND axis = 'primary' AND proof.owner = stated.address
  AND proof.asset = coalesce(stated.token_address, token_standard, '') AND proof.asset_id = '';
