-- Odd values of a height by column: those that `extra` has under the name of a field.
WITH extras AS (
  SELECT block_number AS height, 'transactions' AS dataset, _endpoint AS endpoint, extra
  FROM bare.transactions WHERE extra IS NOT NULL
  UNION ALL
  SELECT block_number, 'internal_transactions', _endpoint, extra
  FROM bare.internal_transactions WHERE extra IS NOT NULL
  UNION ALL
  SELECT block_number, 'token_transfers', _endpoint, extra
  FROM bare.token_transfers WHERE extra IS NOT NULL
  UNION ALL
  SELECT block_number, 'blocks', _endpoint, extra FROM bare.blocks WHERE extra IS NOT NULL
  UNION ALL
  SELECT as_of_block, 'native_holders', _endpoint, extra
  FROM bare.native_holders WHERE extra IS NOT NULL
  UNION ALL
  SELECT block_number, 'zone_blocks', _endpoint, extra
  FROM bare.zone_blocks WHERE extra IS NOT NULL
  UNION ALL
  SELECT block_number, 'zone_transactions', _endpoint, extra
  FROM bare.zone_transactions WHERE extra IS NOT NULL
  UNION ALL
  SELECT zone_block_number, 'cross_chain_transfers', _endpoint, extra
  FROM bare.cross_chain_transfers WHERE extra IS NOT NULL
),
named AS (
  SELECT *, unnest(json_keys(extra)) AS name FROM extras
)
SELECT height, dataset, column_name AS subject, count(*) AS records,
  [min(json_extract_string(extra, '$."' || name || '"'))] AS examples
FROM named
JOIN bare.fields USING (endpoint, name)
GROUP BY height, dataset, column_name;
