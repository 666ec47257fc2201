-- The height of the primary chain up to which all that was exported of an address is complete: its
-- transactions, internal transactions and token transfers, as far as they were asked for. Lists
-- that hold the same records stand in for each other. NULL where nothing is known, or not enough.
CREATE MACRO complete_until(wanted) AS complete_reach(
  wanted, ['transactions', 'internal_transactions', 'token_transfers']
);
