"""Executes the statements of `windrow connect --as spark` and the questions of the bench in Spark,
and prints as JSON where they fail or have other rows than DuckDB.

    spark_script.py SCRIPTS QUESTIONS, as test/interop/engines.mjs writes them

AWS_ENDPOINT_URL has the store of Spark's tables, if they lie in one.
"""

import json
import os
import sys
from datetime import datetime
from pathlib import Path

import duckdb
from session import open_session

scripts, questions = (json.loads(Path(path).read_text()) for path in sys.argv[1:3])
missed = []
settings = {"spark.sql.warehouse.dir": str(Path(sys.argv[1]).parent / "spark")}
packages = []
if endpoint := os.environ.get("AWS_ENDPOINT_URL"):
    packages.append("org.apache.hadoop:hadoop-aws:3.5.0")
    settings["spark.hadoop.fs.s3.impl"] = "org.apache.hadoop.fs.s3a.S3AFileSystem"
    settings["spark.hadoop.fs.s3a.endpoint"] = endpoint
    settings["spark.hadoop.fs.s3a.endpoint.region"] = "us-east-1"
    settings["spark.hadoop.fs.s3a.path.style.access"] = "true"
spark = open_session(settings, packages)
warehouse = duckdb.connect()
for statement in ["SET TimeZone = 'UTC'", *scripts["duckdb"]]:
    warehouse.execute(statement)


def said(name, execute):
    try:
        return execute()
    except Exception as error:
        missed.append(f"{name}: {str(error)[:600]}")
        return []


def texts(rows):
    def text(cell):
        if isinstance(cell, datetime):
            return cell.strftime("%Y-%m-%d %H:%M:%S.%f")
        is_number = isinstance(cell, (int, float)) or hasattr(cell, "as_tuple")
        return f"{float(cell) + 0.0:.11g}" if is_number else str(cell)

    return sorted(tuple(map(text, row)) for row in rows)


for statement in scripts["spark"]:
    said(statement[:200], lambda: spark.sql(statement.rstrip().rstrip(";")))
for view in spark.sql("SHOW VIEWS IN windrow").collect():
    said(view.viewName, lambda: spark.sql(f"SELECT * FROM windrow.{view.viewName}").count())
spark.sql("USE windrow")
rows = 0
for name, sql in questions:
    expected = texts(warehouse.execute(sql).fetchall())
    seen = texts(said(name, lambda: spark.sql(sql).collect()))
    rows += len(expected)
    if seen != expected:
        pair = next(((a, b) for a, b in zip(expected, seen) if a != b), None)
        missed.append(f"{name}: {len(expected)} and {len(seen)} rows, such as {pair}")
print(json.dumps({"missed": missed, "statements": len(scripts["spark"]), "rows": rows}))
