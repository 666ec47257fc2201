-- Payloads of the stream: one row per payload, with its state. A height that was announced again
-- has several payloads, which are never mixed. See docs/stream.md.
--
-- example: SELECT state, count(*) AS payloads FROM preconf_payloads GROUP BY state
-- column: block_number | Height of the block
-- column: payload_id | Payload
-- column: network | Network of the stream
-- column: state | open, complete, incomplete, superseded, conflict, settled or orphaned
-- column: fragments | Fragments received, each index once
-- column: last_index | Highest index that was received or announced
-- column: missing | Indexes that were not received, in order
-- column: tx_count | Distinct transactions received
-- column: chain_tx_count | Transactions of the block on the chain; NULL unless all have landed
-- column: same_order | Whether a settled payload has the order of the block's list on the chain,
--   which may run backwards; NULL for other states, and where that list does not give every place
-- column: block_hash | Hash in the last fragment; need not be canonical
-- column: chain_block_hash | Hash of the block on the chain; NULL if it has not landed
-- column: first_seen | When its first fragment was received [UTC]
-- column: last_seen | When its last fragment was received [UTC]
CREATE VIEW preconf_payloads AS
WITH indexed AS (
  SELECT
    network, payload_id, fragment_index,
    count(DISTINCT content_hash) AS contents,
    arg_max(block_hash, frame) AS block_hash,
    any_value(tx_hashes) AS tx_hashes
  FROM lake.preconf_fragments
  WHERE fragment_index IS NOT NULL
  GROUP BY ALL
),
whole AS (
  SELECT
    network, payload_id,
    count(*) AS fragments,
    max(contents) AS contents,
    list(fragment_index ORDER BY fragment_index) AS received,
    arg_max(block_hash, fragment_index) AS block_hash,
    list_distinct(flatten(list(tx_hashes))) AS tx_hashes,
    flatten(list(tx_hashes ORDER BY fragment_index)) AS in_order
  FROM indexed
  GROUP BY ALL
),
payloads AS (
  SELECT
    f.network, f.payload_id,
    min(f.block_number) AS block_number,
    count(DISTINCT f.block_number) AS heights,
    max(f.target_index) AS target_index,
    greatest(max(f.target_index), max(f.fragment_index)) AS last_index,
    bool_or(f.is_end) AS is_ended,
    min(f.frame) AS first_frame,
    min(f.received_at) AS first_seen,
    max(f.received_at) AS last_seen
  FROM lake.preconf_fragments AS f
  GROUP BY ALL
),
placed AS (
  SELECT
    p.*,
    coalesce(w.fragments, 0) AS fragments,
    coalesce(w.contents, 0) AS contents,
    coalesce(w.received, []) AS received,
    coalesce(w.tx_hashes, []) AS tx_hashes,
    w.in_order,
    w.block_hash,
    p.first_frame < max(p.first_frame) OVER (PARTITION BY p.network, p.block_number)
      AND p.block_number IS NOT NULL AS is_superseded,
    p.block_number < max(p.block_number) OVER (PARTITION BY p.network) AS is_passed
  FROM payloads AS p
  LEFT JOIN whole AS w ON w.network = p.network AND w.payload_id = p.payload_id
),
chain_transactions AS (
  SELECT
    block_number, count(*) AS records,
    CASE WHEN count(DISTINCT list_position) = count(*)
      THEN list(tx_hash ORDER BY list_position) END AS in_order
  FROM curated.transactions
  WHERE block_number IN (SELECT block_number FROM placed)
  GROUP BY block_number
),
chain AS (
  SELECT
    b.block_number,
    any_value(b.block_hash) AS block_hash,
    CASE WHEN any_value(b.txn_count) = coalesce(any_value(t.records), 0)
      THEN coalesce(any_value(t.records), 0) END AS tx_count,
    any_value(t.in_order) AS in_order
  FROM curated.blocks AS b
  LEFT JOIN chain_transactions AS t ON t.block_number = b.block_number
  WHERE b.block_number IN (SELECT block_number FROM placed)
  GROUP BY b.block_number
),
matched AS (
  SELECT p.network, p.payload_id, count(*) AS matches
  FROM placed AS p
  JOIN curated.transactions AS t
    ON t.block_number = p.block_number AND list_contains(p.tx_hashes, t.tx_hash)
  GROUP BY ALL
),
judged AS (
  SELECT
    p.*,
    list_filter(range(0, p.last_index + 1), lambda i: NOT list_contains(p.received, i)) AS missing,
    c.tx_count AS chain_tx_count,
    c.block_hash AS chain_block_hash,
    c.in_order AS chain_order,
    coalesce(m.matches, 0) AS matches
  FROM placed AS p
  LEFT JOIN chain AS c ON c.block_number = p.block_number
  LEFT JOIN matched AS m ON m.network = p.network AND m.payload_id = p.payload_id
)
SELECT
  block_number, payload_id, network,
  CASE
    WHEN contents > 1 OR heights > 1 THEN 'conflict'
    WHEN is_superseded THEN 'superseded'
    WHEN chain_tx_count IS NOT NULL AND matches < len(tx_hashes) THEN 'orphaned'
    WHEN chain_tx_count IS NOT NULL AND (len(missing) > 0 OR fragments = 0
      OR matches < chain_tx_count) THEN 'incomplete'
    WHEN chain_tx_count IS NOT NULL THEN 'settled'
    WHEN is_ended OR is_passed OR list_contains(received, target_index) THEN
      CASE WHEN len(missing) > 0 OR fragments = 0 THEN 'incomplete' ELSE 'complete' END
    ELSE 'open'
  END AS state,
  fragments, last_index,
  coalesce(missing, []) AS missing,
  len(tx_hashes) AS tx_count,
  chain_tx_count,
  CASE WHEN state = 'settled' THEN in_order IN (chain_order, list_reverse(chain_order)) END
    AS same_order,
  block_hash, chain_block_hash, first_seen, last_seen
FROM judged;
