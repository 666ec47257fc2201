"""Reads every table of a data root with deltalake, polars and ClickHouse, and prints all three.

    python read_lake.py DATA_ROOT QUESTIONS

The answer is one JSON document: {"lake": {"readers": {reader: {"chain/table": facts}}, "log": ...},
"curated": the same, "answers": {reader: {question: rows}}}. `facts` are those of arrow_facts.py.
QUESTIONS is a file with SQL by name, over curated tables that are named without their chain.
"""

import json
import os
import sys
from pathlib import Path

import chdb
import deltalake
import polars
import pyarrow
from deltalake import DeltaTable, QueryBuilder

from arrow_facts import arrow_facts
from facts import LAYERS, answer_of, questions_in, table_folders


def read_with_deltalake(folder, version=None):
    """deltalake follows the log, and Arrow reads the Parquet."""
    return arrow_facts(DeltaTable(str(folder), version=version).to_pyarrow_table())


def read_with_polars(folder, version=None):
    """deltalake follows the log; polars reads the Parquet with a reader of its own."""
    return arrow_facts(polars.read_delta(str(folder), version=version).to_arrow())


def clickhouse_in(root):
    """Embedded ClickHouse reads no file outside the folder it was started in."""
    os.chdir(root)
    return chdb.connect(":memory:")


def read_with_clickhouse(connection, folder):
    """ClickHouse follows the log with the Delta kernel; the reader of the Parquet is its own."""
    sql = f"SELECT * FROM deltaLakeLocal('{folder}')"
    table = pyarrow.ipc.open_file(connection.query(sql, "Arrow").bytes()).read_all()
    for at, (field, column) in enumerate(zip(table.schema, table.columns)):
        if pyarrow.types.is_list(field.type):
            # It has no NULL lists: an empty one stands for it, and windrow writes no empty list.
            is_empty = pyarrow.compute.equal(pyarrow.compute.list_value_length(column), 0)
            absent = pyarrow.scalar(None, field.type)
            column = pyarrow.compute.if_else(is_empty, absent, column)
            table = table.set_column(at, field.name, column)
    return arrow_facts(table)


def read_log(folder):
    """What the log says, by deltalake's account of it."""
    table = DeltaTable(str(folder))
    return {"version": table.version(), "files": sorted(Path(uri).name for uri in table.file_uris())}


def answers_of_deltalake(folders, questions):
    """DataFusion, which deltalake brings, computes the answers."""
    builder = QueryBuilder()
    for name, folder in folders.items():
        builder = builder.register(name.split("/")[1], DeltaTable(str(folder)))

    def answer(sql):
        table = pyarrow.table(builder.execute(sql).read_all())
        return answer_of(row.values() for row in table.to_pylist())

    return {name: answer(sql) for name, sql in questions.items()}


def answers_of_polars(folders, questions):
    frames = {name.split("/")[1]: polars.scan_delta(str(at)) for name, at in folders.items()}
    context = polars.SQLContext(frames)
    return {
        name: answer_of(context.execute(sql).collect().rows()) for name, sql in questions.items()
    }


# As in standard SQL: times with their zone, no NULL of another type, sums of nothing are NULL.
SETTINGS = (
    "date_time_output_format = 'iso', output_format_json_quote_decimals = 1,"
    " output_format_json_quote_64bit_integers = 1, join_use_nulls = 1,"
    " aggregate_functions_null_for_empty = 1"
)


def answers_of_clickhouse(connection, folders, questions):
    tables = ", ".join(
        f"{name.split('/')[1]} AS (SELECT * FROM deltaLakeLocal('{folder}'))"
        for name, folder in folders.items()
    )

    def answer(sql):
        query = f"WITH {tables} {sql} SETTINGS {SETTINGS}"
        lines = str(connection.query(query, "JSONCompactEachRow")).splitlines()
        return [json.loads(line) for line in lines]

    return {name: answer(sql) for name, sql in questions.items()}


DELTALAKE = f"deltalake {deltalake.__version__}"
POLARS = f"polars {polars.__version__}"
READERS = {DELTALAKE: read_with_deltalake, POLARS: read_with_polars}


def main(root, questions):
    asked = questions_in(questions)
    root = Path(root).absolute()
    connection = clickhouse_in(root)
    clickhouse = f"ClickHouse {str(connection.query('SELECT version()', 'TSV')).strip()}"
    readers = {**READERS, clickhouse: lambda folder: read_with_clickhouse(connection, folder)}
    tables = {layer: table_folders(root / layer) for layer in LAYERS}
    document = {
        layer: {
            "readers": {
                reader: {name: read(folder) for name, folder in folders.items()}
                for reader, read in readers.items()
            },
            "log": {DELTALAKE: {name: read_log(folder) for name, folder in folders.items()}},
        }
        for layer, folders in tables.items()
    }
    document["answers"] = {
        DELTALAKE: answers_of_deltalake(tables["curated"], asked),
        POLARS: answers_of_polars(tables["curated"], asked),
        clickhouse: answers_of_clickhouse(connection, tables["curated"], asked),
    }
    json.dump(document, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
