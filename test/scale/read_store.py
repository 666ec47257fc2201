"""Counts the rows of a raw and of a curated table through delta-rs and polars."""

import json
import sys

import polars
from deltalake import DeltaTable

root, endpoint = sys.argv[1:3]
options = {"AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": "true", "AWS_REGION": "us-east-1"}
raw = DeltaTable(f"{root}/lake/MAINCHAIN/blocks", storage_options=options)
curated = polars.read_delta(f"{root}/curated/MAINCHAIN/transactions", storage_options=options)
print(json.dumps({"raw": raw.to_pyarrow_table().num_rows, "curated": curated.height}))
