-- The height of the zone chain up to which all that was exported of an address is complete: its
-- zone transactions and cross-chain transfers, as far as they were asked for. Heights of the two
-- chains are unrelated; complete_until speaks of the primary one.
CREATE MACRO complete_until_zone(wanted) AS complete_reach(
  wanted, ['zone_transactions', 'cross_chain_transfers']
);
