-- What did the addresses with a label of mine do, on either chain?
--
-- Labels come from the column `label` of the address file. Several addresses may share one.
--
-- column: label | Label of the addresses
-- column: axis | primary or zone
-- column: leg | value, fee, internal, token, cross_chain or zone
-- column: addresses | Addresses with this label that have such a leg
-- column: moves | Legs
-- column: failed | Of these, how many belong to failed transactions or calls
-- column: first_seen | Time of the first of them [UTC]
-- column: last_seen | Time of the last of them [UTC]
SELECT
  label, axis, leg,
  count(DISTINCT address) AS addresses,
  count(*) AS moves,
  count(*) FILTER (NOT succeeded) AS failed,
  min(block_time) AS first_seen,
  max(block_time) AS last_seen
FROM address_activity
WHERE label IS NOT NULL
GROUP BY ALL
ORDER BY label, axis, leg;
