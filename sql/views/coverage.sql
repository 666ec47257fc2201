-- The requested blocks, with the status of their records: one row per list (endpoint and
-- variant), key and interval of blocks. Blocks without a row were never exported.
--
-- example: SELECT endpoint, from_block, to_block, status FROM coverage WHERE key = lower('0x...')
-- column: key | The address, token contract or transaction hash; empty for lists without keys, and
--   for complete look-ups
-- column: key_kind | address, token, transaction, or all for lists that are asked without keys
-- column: axis | primary or zone: which heights the blocks are
-- column: dataset | Dataset the list feeds
-- column: endpoint | Endpoint that was asked
-- column: variant | Filters it was asked with; empty for none
-- column: side | Which records of the address the list holds: from (sent), to (received) or both;
--   NULL for other keys
-- column: from_block | First block of the interval
-- column: to_block | Last block of the interval
-- column: blocks | Blocks in the interval, both ends included
-- column: status | complete, provisional, truncated, depth_limited, inconsistent or failed
-- column: meaning | The status in words
-- column: reason | Why, where the status does not say all
-- column: evidence | Of complete intervals: walk (its own list), corroborated (a second list of the
--   same records agrees), or reconciled (balances of a witness agree) | reconciliations
-- column: reconciled_to | Last block of the interval up to which balances agree | reconciliations
-- column: head | Head of the chain when it was read; the oldest one where readings were joined
-- column: read_at | When it was read; the oldest time where readings were joined [UTC]
CREATE VIEW coverage AS
WITH proofs AS (
  SELECT owner AS address, dataset, from_block, to_block, read_at
  FROM known.reconciled
  JOIN (
    VALUES ('transactions', ''), ('internal_transactions', ''), ('token_transfers', '*')
  ) AS assets (dataset, asset) USING (asset)
  WHERE asset_id = ''
)
SELECT
  key, key_kind, axis, l.dataset, endpoint, variant, side, l.from_block, l.to_block, blocks, status,
  CASE status
    WHEN 'complete' THEN 'every record was listed, and the walk was verified'
    WHEN 'provisional' THEN
      'near the head, a pending transaction or an unfinished record; runs read it again'
    WHEN 'truncated' THEN 'the service lists no more than a part, and it could not be split further'
    WHEN 'depth_limited' THEN 'older than what the service lists'
    WHEN 'inconsistent' THEN 'what was read contradicts itself or the chain; runs read it again'
    WHEN 'failed' THEN 'could not be read; the next run tries again'
    ELSE status
  END AS meaning,
  reason,
  CASE
    WHEN status <> 'complete' THEN NULL
    WHEN proofs.from_block <= l.from_block AND proofs.to_block >= l.to_block THEN 'reconciled'
    WHEN EXISTS (
      FROM lake.coverage AS other
      WHERE other.dataset = l.dataset AND other.key = l.key AND other.scope = l.scope
        AND other.side IS NOT DISTINCT FROM l.side AND other.list <> l.list
        AND other.key_kind = l.key_kind
        AND other.status = 'complete'
        AND other.from_block <= l.from_block AND other.to_block >= l.to_block
    ) THEN 'corroborated'
    ELSE 'walk'
  END AS evidence,
  CASE WHEN status = 'complete' AND proofs.from_block <= l.from_block
      AND proofs.to_block >= l.from_block
    THEN least(proofs.to_block, l.to_block) END AS reconciled_to,
  l.head, l.read_at
FROM lake.coverage AS l
LEFT JOIN proofs
  ON l.key_kind = 'address' AND proofs.address = l.key AND proofs.dataset = l.dataset
  -- A list that was read later may have assets that were not compared.
  AND l.read_at <= proofs.read_at;
