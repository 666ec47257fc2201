"""Prints the transactions of a lake in a store as independent readers see them.

    read_store.py ROOT ENDPOINT STATEMENTS: these are JSON, as `windrow connect --as duckdb` prints
"""

import json
import os
import sys
from pathlib import Path

root, endpoint, statements = sys.argv[1:4]
DUCKDB = Path(__file__).parent / ".venv" / "duckdb"


def by_duckdb():
    sys.path.insert(0, str(DUCKDB))
    import duckdb

    folder = str(DUCKDB / "duckdb_ext" / "extensions")
    connection = duckdb.connect(config={"extension_directory": folder})
    for statement in json.loads(Path(statements).read_text()):
        connection.execute(statement)
    for (view,) in connection.execute(
        "SELECT schema_name || '.' || view_name FROM duckdb_views() WHERE NOT internal"
    ).fetchall():
        connection.execute(f"SELECT count(*) FROM {view}")
    query = "SELECT tx_hash, block_number FROM windrow.transactions"
    return connection.execute(query).fetchall()


def by_delta_rs():
    from deltalake import DeltaTable

    options = {"AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": "true"}
    table = DeltaTable(f"{root}/curated/MAINCHAIN/transactions", storage_options=options)
    rows = table.to_pyarrow_table(columns=["tx_hash", "block_number"]).to_pylist()
    return [(row["tx_hash"], row["block_number"]) for row in rows]


def by_polars():
    import polars

    options = {"AWS_ENDPOINT_URL": endpoint, "AWS_ALLOW_HTTP": "true"}
    path = f"{root}/curated/MAINCHAIN/transactions"
    return polars.read_delta(path, storage_options=options).select("tx_hash", "block_number").rows()


def by_clickhouse():
    import chdb

    url = f"{endpoint}/{root.removeprefix('s3://')}/curated/MAINCHAIN/transactions"
    keys = f"'{os.environ['AWS_ACCESS_KEY_ID']}', '{os.environ['AWS_SECRET_ACCESS_KEY']}'"
    query = f"SELECT tx_hash, block_number FROM deltaLake('{url}', {keys})"
    text = str(chdb.query(query, "JSONCompactEachRow"))
    return [json.loads(line) for line in text.splitlines()]


readers = {
    "delta-rs": by_delta_rs,
    "polars": by_polars,
    "ClickHouse": by_clickhouse,
    "DuckDB": by_duckdb,
}
print(
    json.dumps(
        {
            name: sorted([text, int(height)] for text, height in read())
            for name, read in readers.items()
        }
    )
)
