-- Amounts of a height that do not fit DECIMAL(38,18), by column.
--
-- for: transactions, internal_transactions, token_transfers, blocks, native_holders,
--  zone_transactions, cross_chain_transfers
WITH unfit AS (
  SELECT block_number AS height, 'transactions' AS dataset,
    unnest(['amount', 'tx_fee']) AS subject,
    unnest([
      CASE WHEN amount IS NULL THEN amount_text END,
      CASE WHEN tx_fee IS NULL THEN tx_fee_text END
    ]) AS example
  FROM bare.transactions
  WHERE amount IS NULL AND amount_text IS NOT NULL OR tx_fee IS NULL AND tx_fee_text IS NOT NULL
  UNION ALL
  SELECT block_number, 'internal_transactions',
    unnest(['amount', 'tx_fee']),
    unnest([
      CASE WHEN amount IS NULL THEN amount_text END,
      CASE WHEN tx_fee IS NULL THEN tx_fee_text END
    ])
  FROM bare.internal_transactions
  WHERE amount IS NULL AND amount_text IS NOT NULL OR tx_fee IS NULL AND tx_fee_text IS NOT NULL
  UNION ALL
  SELECT block_number, 'token_transfers',
    unnest(['amount', 'tx_fee']),
    unnest([
      CASE WHEN amount IS NULL THEN amount_text END,
      CASE WHEN tx_fee IS NULL THEN tx_fee_text END
    ])
  FROM bare.token_transfers
  WHERE amount IS NULL AND amount_text IS NOT NULL OR tx_fee IS NULL AND tx_fee_text IS NOT NULL
  UNION ALL
  SELECT block_number, 'blocks',
    unnest([
      'amount', 'mine_reward', 'total_fee', 'avg_fee',
      'gas_avg_price', 'burnt', 'tips', 'base_fee_per_gas'
    ]),
    unnest([
      CASE WHEN amount IS NULL THEN amount_text END,
      CASE WHEN mine_reward IS NULL THEN mine_reward_text END,
      CASE WHEN total_fee IS NULL THEN total_fee_text END,
      CASE WHEN avg_fee IS NULL THEN avg_fee_text END,
      CASE WHEN gas_avg_price IS NULL THEN gas_avg_price_text END,
      CASE WHEN burnt IS NULL THEN burnt_text END,
      CASE WHEN tips IS NULL THEN tips_text END,
      CASE WHEN base_fee_per_gas IS NULL THEN base_fee_per_gas_text END
    ])
  FROM bare.blocks
  UNION ALL
  SELECT as_of_block, 'native_holders', 'amount',
    CASE WHEN amount IS NULL THEN amount_text END
  FROM bare.native_holders WHERE amount IS NULL
  UNION ALL
  SELECT block_number, 'zone_transactions', 'amount',
    CASE WHEN amount IS NULL THEN amount_text END
  FROM bare.zone_transactions WHERE amount IS NULL
  UNION ALL
  SELECT zone_block_number, 'cross_chain_transfers', 'amount',
    CASE WHEN amount IS NULL THEN amount_text END
  FROM bare.cross_chain_transfers WHERE amount IS NULL
)
SELECT height, dataset, subject, count(*) AS records, [min(example)] AS examples
FROM unfit
WHERE example IS NOT NULL
GROUP BY height, dataset, subject;
