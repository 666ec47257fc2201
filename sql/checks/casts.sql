-- Amounts that do not fit DECIMAL(38,18): the number is NULL beside a text that is exact. Sums over
-- the number leave them out, so sum the text with exact_sum.
--
-- severity: note
SELECT
  amounts || CASE amounts WHEN 1 THEN ' value' ELSE ' values' END || ' of ' || column_name
  || CASE amounts WHEN 1 THEN ' does' ELSE ' do' END
  || ' not fit the number beside the text in ' || dataset AS finding,
  *
FROM (
  SELECT 'transactions' AS dataset,
    unnest(['amount', 'tx_fee']) AS column_name,
    unnest([
      count(*) FILTER (amount IS NULL AND amount_text IS NOT NULL),
      count(*) FILTER (tx_fee IS NULL AND tx_fee_text IS NOT NULL)
    ]) AS amounts,
    unnest([
      min(amount_text) FILTER (amount IS NULL),
      min(tx_fee_text) FILTER (tx_fee IS NULL)
    ]) AS example
  FROM lake.transactions
  UNION ALL
  SELECT 'internal_transactions',
    unnest(['amount', 'tx_fee']),
    unnest([
      count(*) FILTER (amount IS NULL AND amount_text IS NOT NULL),
      count(*) FILTER (tx_fee IS NULL AND tx_fee_text IS NOT NULL)
    ]),
    unnest([
      min(amount_text) FILTER (amount IS NULL),
      min(tx_fee_text) FILTER (tx_fee IS NULL)
    ])
  FROM lake.internal_transactions
  UNION ALL
  SELECT 'token_transfers',
    unnest(['amount', 'tx_fee']),
    unnest([
      count(*) FILTER (amount IS NULL AND amount_text IS NOT NULL),
      count(*) FILTER (tx_fee IS NULL AND tx_fee_text IS NOT NULL)
    ]),
    unnest([
      min(amount_text) FILTER (amount IS NULL),
      min(tx_fee_text) FILTER (tx_fee IS NULL)
    ])
  FROM lake.token_transfers
  UNION ALL
  SELECT 'blocks',
    unnest([
      'amount', 'mine_reward', 'total_fee', 'avg_fee',
      'gas_avg_price', 'burnt', 'tips', 'base_fee_per_gas'
    ]),
    unnest([
      count(*) FILTER (amount IS NULL AND amount_text IS NOT NULL),
      count(*) FILTER (mine_reward IS NULL AND mine_reward_text IS NOT NULL),
      count(*) FILTER (total_fee IS NULL AND total_fee_text IS NOT NULL),
      count(*) FILTER (avg_fee IS NULL AND avg_fee_text IS NOT NULL),
      count(*) FILTER (gas_avg_price IS NULL AND gas_avg_price_text IS NOT NULL),
      count(*) FILTER (burnt IS NULL AND burnt_text IS NOT NULL),
      count(*) FILTER (tips IS NULL AND tips_text IS NOT NULL),
      count(*) FILTER (base_fee_per_gas IS NULL AND base_fee_per_gas_text IS NOT NULL)
    ]),
    unnest([
      min(amount_text) FILTER (amount IS NULL),
      min(mine_reward_text) FILTER (mine_reward IS NULL),
      min(total_fee_text) FILTER (total_fee IS NULL),
      min(avg_fee_text) FILTER (avg_fee IS NULL),
      min(gas_avg_price_text) FILTER (gas_avg_price IS NULL),
      min(burnt_text) FILTER (burnt IS NULL),
      min(tips_text) FILTER (tips IS NULL),
      min(base_fee_per_gas_text) FILTER (base_fee_per_gas IS NULL)
    ])
  FROM lake.blocks
  UNION ALL
  SELECT 'native_holders', 'amount',
    count(*) FILTER (amount IS NULL AND amount_text IS NOT NULL),
    min(amount_text) FILTER (amount IS NULL)
  FROM lake.native_holders
  UNION ALL
  SELECT 'zone_transactions', 'amount',
    count(*) FILTER (amount IS NULL AND amount_text IS NOT NULL),
    min(amount_text) FILTER (amount IS NULL)
  FROM lake.zone_transactions
  UNION ALL
  SELECT 'cross_chain_transfers', 'amount',
    count(*) FILTER (amount IS NULL AND amount_text IS NOT NULL),
    min(amount_text) FILTER (amount IS NULL)
  FROM lake.cross_chain_transfers
)
WHERE amounts > 0
ORDER BY dataset, column_name;
