import polars

# polars has no SQL for the views of the warehouse: windrow query answers them.

tables = {}

tables["curated.MAINCHAIN.transactions"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/MAINCHAIN/transactions")

tables["curated.MAINCHAIN.internal_transactions"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/MAINCHAIN/internal_transactions")

tables["curated.MAINCHAIN.token_transfers"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/MAINCHAIN/token_transfers")

tables["curated.MAINCHAIN.blocks"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/MAINCHAIN/blocks")

tables["curated.MAINCHAIN.native_holders"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/MAINCHAIN/native_holders")

tables["curated.MAINCHAIN.address_activity"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/MAINCHAIN/address_activity")

tables["curated.MAINCHAIN.check_evidence"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/MAINCHAIN/check_evidence")

tables["curated.ZONECHAIN.zone_transactions"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/ZONECHAIN/zone_transactions")

tables["curated.ZONECHAIN.cross_chain_transfers"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/ZONECHAIN/cross_chain_transfers")

tables["curated.ZONECHAIN.zone_blocks"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/ZONECHAIN/zone_blocks")

tables["curated.ZONECHAIN.zone_address_activity"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/ZONECHAIN/zone_address_activity")

tables["curated.ZONECHAIN.cross_chain_journeys"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/curated/ZONECHAIN/cross_chain_journeys")

tables["lake.MAINCHAIN.blocks"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/blocks")

tables["lake.ZONECHAIN.cross_chain_transfers"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/ZONECHAIN/cross_chain_transfers")

tables["lake.MAINCHAIN.internal_transactions"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/internal_transactions")

tables["lake.MAINCHAIN.native_holders"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/native_holders")

tables["lake.MAINCHAIN.token_transfers"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/token_transfers")

tables["lake.MAINCHAIN.transactions"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/transactions")

tables["lake.ZONECHAIN.zone_blocks"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/ZONECHAIN/zone_blocks")

tables["lake.ZONECHAIN.zone_transactions"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/ZONECHAIN/zone_transactions")

tables["lake.MAINCHAIN.preconf_fragments"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/preconf_fragments")

tables["lake.MAINCHAIN.preconf_transactions"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/preconf_transactions")

tables["lake.MAINCHAIN.preconf_receipts"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/preconf_receipts")

tables["lake.MAINCHAIN.preconf_balances"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/preconf_balances")

tables["lake.MAINCHAIN.preconf_gaps"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/preconf_gaps")

tables["lake.MAINCHAIN.reconciliations"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/reconciliations")

tables["files.MAINCHAIN.coverage"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/MAINCHAIN/coverage")

tables["files.ZONECHAIN.coverage"] = polars.scan_delta("/tmp/h/main/windrow-e2e-toAb2x/data/lake/ZONECHAIN/coverage")
