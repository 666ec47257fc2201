-- Senders of the primary chain whose nonces do not follow each other, though all that they sent was
-- exported completely there: every transaction of a plain account, also a failed one, uses the next
-- nonce, from 0 on. A transaction is missing, stands in the lake twice under two hashes, or is
-- there with a wrong nonce. Read these blocks again with windrow refetch. Transactions without a
-- known nonce are counted and not guessed; look them up by their hashes to narrow a finding down.
-- Contracts, accounts that send other types than 0 to 3, and senders that a record names together
-- with others are left out.
--
-- severity: error
WITH left_out AS (
  SELECT unnest(string_split(from_address, ',')) AS sender
  FROM curated.transactions
  WHERE from_is_contract OR tx_type NOT IN ('0', '1', '2', '3') OR contains(from_address, ',')
),
whole AS (
  SELECT row_number() OVER () AS stretch, key AS sender, from_block, to_block
  FROM lake.reach
  WHERE dataset = 'transactions' AND scope = '' AND key_kind = 'address' AND side = 'from'
    AND status = 'complete'
),
-- Few senders have more than steps of one; only these are looked at transaction by transaction.
-- Short numbers alone are sorted, not texts: there may be millions.
steps AS (
  SELECT stretch, nonce,
    nonce - lag(nonce) OVER (PARTITION BY stretch ORDER BY block_number, nonce) AS step
  FROM (
    SELECT CAST(s.stretch AS INTEGER) AS stretch, t.block_number,
      CAST(TRY_CAST(t.nonce AS INTEGER) AS BIGINT) AS nonce
    FROM whole AS s
    JOIN curated.transactions AS t
      ON t.from_address = s.sender AND t.block_number BETWEEN s.from_block AND s.to_block
    WHERE t.coverage_status = 'complete' AND t.tx_hash IS NOT NULL
    UNION ALL
    SELECT stretch, -1, -1 FROM whole WHERE from_block = 0
  )
),
stretches AS (
  SELECT sender, from_block, to_block
  FROM whole
  WHERE sender IN (
      SELECT sender FROM steps JOIN whole USING (stretch) WHERE nonce IS NULL OR step <> 1
    )
    AND sender NOT IN (SELECT sender FROM left_out WHERE sender IS NOT NULL)
),
sent AS (
  SELECT tx_hash, min(from_address) AS sender, min(block_number) AS block_number,
    arg_min(nonce, block_number) AS nonce
  FROM curated.transactions
  WHERE coverage_status = 'complete' AND tx_hash IS NOT NULL
    AND from_address IN (SELECT sender FROM stretches)
  GROUP BY tx_hash
),
counted AS (
  SELECT s.sender, s.from_block, s.to_block, t.tx_hash, t.block_number, t.nonce,
    count(*) FILTER (t.nonce IS NULL) OVER (of_stretch RANGE UNBOUNDED PRECEDING) AS unknown_to,
    count(*) FILTER (t.nonce IS NULL) OVER (
      of_stretch RANGE BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
    ) AS unknown_below
  FROM stretches AS s
  JOIN sent AS t ON t.sender = s.sender AND t.block_number BETWEEN s.from_block AND s.to_block
  WINDOW of_stretch AS (PARTITION BY s.sender, s.from_block ORDER BY t.block_number)
),
-- Before the first block of the chain, the nonce before 0 is the last.
pairs AS (
  SELECT sender, from_block, to_block, block_number, tx_hash, nonce,
    lag(block_number) OVER in_order AS block_before,
    lag(tx_hash) OVER in_order AS tx_before,
    coalesce(lag(nonce) OVER in_order, CASE from_block WHEN 0 THEN -1 END) AS nonce_before,
    unknown_to - coalesce(lag(unknown_below) OVER in_order, 0) AS at_most,
    greatest(0, unknown_below - coalesce(lag(unknown_to) OVER in_order, 0)) AS at_least
  FROM counted
  WHERE nonce IS NOT NULL
  WINDOW in_order AS (PARTITION BY sender, from_block ORDER BY block_number, nonce, tx_hash)
),
findings AS (
  SELECT *, nonce - nonce_before - 1 AS between_them
  FROM pairs
  WHERE between_them NOT BETWEEN at_least AND at_most
)
SELECT
  sender || CASE
    WHEN nonce = nonce_before THEN
      ' used nonce ' || nonce || ' twice, in blocks ' || block_before || ' and ' || block_number
    WHEN nonce < nonce_before THEN
      ' went back from nonce ' || nonce_before || ' in block ' || block_before || ' to '
      || nonce || ' in block ' || block_number
    WHEN block_before IS NULL THEN
      ' begins with nonce ' || nonce || ' in block ' || block_number
      || ', though all that it sent since block 0 ought to be here'
    ELSE
      ' went from nonce ' || nonce_before || ' in block ' || block_before || ' to '
      || nonce || ' in block ' || block_number
  END
  || CASE
    WHEN between_them > at_most THEN ': ' || (between_them - at_most) || ' of its transactions '
      || CASE between_them - at_most WHEN 1 THEN 'is' ELSE 'are' END || ' missing'
    WHEN nonce > nonce_before
      THEN ': ' || at_least || ' of its transactions lie between, more than nonces'
    ELSE ''
  END AS finding,
  'transactions' AS dataset, sender,
  nonce_before, block_before, tx_before,
  nonce, block_number, tx_hash,
  at_most AS unknown_between,
  CASE WHEN between_them > at_most THEN CAST(between_them - at_most AS BIGINT) END AS missing,
  from_block AS complete_from, to_block AS complete_to
FROM findings
ORDER BY sender, block_number, nonce, tx_hash, complete_from;
