"""Reads every table of a data root with DuckDB's extension for Delta tables, which follows the log
with the Delta kernel; programs.py has the arguments."""

import sys
from pathlib import Path

import duckdb
import duckdb_extension_delta
from programs import answer
from read_duckdb import read_with_duckdb

[EXTENSION] = Path(duckdb_extension_delta.__file__).parent.glob("extensions/*/*.duckdb_extension")
connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
connection.execute(f"LOAD '{EXTENSION}'")


def read_with_extension(folder, version):
    at = "" if version is None else f", version => {version}"
    connection.execute(f"CREATE OR REPLACE VIEW seen AS FROM delta_scan('{folder}'{at})")
    return read_with_duckdb(connection, "seen")


if __name__ == "__main__":
    answer(sys.argv[1:], {f"DuckDB {duckdb.__version__} with delta": read_with_extension})
