"""Executes the statements of `windrow connect --as` for a data root, and prints as JSON what they
miss: ClickHouse, DuckDB and polars execute them, and a parser of Trino reads them. Every view, and
every question, must have DuckDB's rows."""

import datetime
import decimal
import json
import logging
import os
import pathlib
import sys

import chdb
import duckdb
import polars
import sqlglot

scripts, questions = (json.load(open(path)) for path in sys.argv[1:3])
missed = []

# ClickHouse reads no file outside its working folder.
os.chdir(pathlib.Path(sys.argv[1]).parent)
clickhouse = chdb.connect(":memory:")
for statement in scripts["clickhouse"]:
    clickhouse.query(statement.rstrip(";"))
clickhouse.query("USE windrow")

warehouse = duckdb.connect()
for statement in ["SET enable_caching_operators = false", *scripts["duckdb"]]:
    warehouse.execute(statement)


def value(cell):
    if isinstance(cell, datetime.datetime):
        return cell.strftime("%Y-%m-%d %H:%M:%S.%f")
    if isinstance(cell, list):
        return ",".join(map(value, cell))
    if isinstance(cell, (bool, int)):
        return str(int(cell))
    if isinstance(cell, (float, decimal.Decimal)):
        return f"{float(cell) + 0.0:.11g}"  # -0 is 0
    return "" if cell is None else str(cell)


def number(cell, expected):
    """JSON has decimals as texts."""
    is_number = isinstance(expected, (float, decimal.Decimal)) and cell is not None
    return decimal.Decimal(str(cell)) if is_number else cell


def compare(name, here, there):
    expected = warehouse.execute(here).fetchall()
    options = "SETTINGS output_format_json_quote_decimals = 1"
    lines = str(clickhouse.query(f"{there} {options}", "JSONCompactEachRow")).splitlines()
    kinds = [next((c for c in column if c is not None), None) for column in zip(*expected)]
    found = [[number(c, k) for c, k in zip(json.loads(line), kinds)] for line in lines]
    texts = [sorted(tuple(map(value, row)) for row in rows) for rows in (expected, found)]
    if texts[0] != texts[1]:
        pair = next(((a, b) for a, b in zip(*texts) if a != b), None)
        missed.append(f"{name}: {len(expected)} and {len(found)} rows, such as {pair}")
    return len(expected)


rows = 0
views = [s for s in scripts["clickhouse"] if s.startswith("CREATE OR REPLACE VIEW `windrow")]
for schema, view in (s.split()[4].replace("`", "").split(".") for s in views):
    if schema in ("windrow_files", "windrow_known"):
        continue
    relation = view if schema == "windrow" else f"{schema.removeprefix('windrow_')}.{view}"
    rows += compare(relation, f"FROM {relation}", f"SELECT * FROM {schema}.{view}")
for name, sql in questions:
    rows += compare(name, sql, sql)

# Calls of procedures are commands for it.
logging.disable(logging.WARNING)
for statement in scripts["trino"]:
    sqlglot.parse_one(statement, read="trino")

exec("\n".join(scripts["polars"]))
for name, table in tables.items():  # noqa: F821
    if table.select(polars.len()).collect().item() == 0:
        missed.append(f"polars reads no rows of {name}")

print(json.dumps({"missed": missed, "rows": rows, "views": len(views)}))
