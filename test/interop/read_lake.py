"""Reads every table of a data root with deltalake and with polars, and prints both.

    python read_lake.py DATA_ROOT QUESTIONS

The answer is one JSON document: {"lake": {"readers": {reader: {"chain/table": facts}}, "log": ...},
"curated": the same, "answers": {reader: {question: rows}}}. `facts` has the same shape in
read-lake.mjs and in read_duckdb.py, so that two readers agree exactly when their facts are equal.
QUESTIONS is a file with SQL by name, over curated tables that are named without their chain.
"""

import json
import sys
from decimal import localcontext
from pathlib import Path

import deltalake
import polars
import pyarrow
from deltalake import DeltaTable, QueryBuilder

from arrow_facts import arrow_facts
from facts import LAYERS, answer_of, facts_of, named, questions_in, table_folders


def read_with_deltalake(folder, version=None):
    """deltalake follows the log; Arrow reads the Parquet and computes."""
    return arrow_facts(DeltaTable(str(folder), version=version).to_pyarrow_table())


def polars_kind(dtype):
    if isinstance(dtype, polars.List):
        return f"list({polars_kind(dtype.inner)})"
    if isinstance(dtype, polars.Decimal):
        return f"decimal({dtype.precision},{dtype.scale})"
    if isinstance(dtype, polars.Datetime):
        return f"timestamp({dtype.time_zone})"
    plain = {
        polars.Int64: "integer",
        polars.Boolean: "boolean",
        polars.String: "text",
        polars.Float64: "double",
        polars.Date: "date",
    }
    return plain.get(type(dtype), str(dtype))


def exact_sum(cells):
    """polars sums decimals within 38 digits; real token amounts pass that."""
    present = [cell for cell in cells if cell is not None]
    with localcontext() as context:
        context.prec = 200
        return sum(present) if present else None


def read_with_polars(folder, version=None):
    """deltalake follows the log; polars reads the Parquet with a reader of its own."""
    frame = polars.read_delta(str(folder), version=version)
    kinds = {name: polars_kind(dtype) for name, dtype in frame.schema.items()}
    return facts_of(
        kinds,
        frame.to_dicts(),
        {name: frame[name].null_count() for name in kinds},
        {
            name: (frame[name].min(), frame[name].max())
            for name in named(kinds, "integer", "timestamp", "date")
        },
        {name: exact_sum(frame[name].to_list()) for name in named(kinds, "decimal")},
        {name: int(frame[name].list.len().sum() or 0) for name in named(kinds, "list")},
    )


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


DELTALAKE = f"deltalake {deltalake.__version__}"
POLARS = f"polars {polars.__version__}"
READERS = {DELTALAKE: read_with_deltalake, POLARS: read_with_polars}


def read_layer(tables):
    return {
        "readers": {
            reader: {name: read(folder) for name, folder in tables.items()}
            for reader, read in READERS.items()
        },
        "log": {DELTALAKE: {name: read_log(folder) for name, folder in tables.items()}},
    }


def main(root, questions):
    asked = questions_in(questions)
    tables = {layer: table_folders(f"{root}/{layer}") for layer in LAYERS}
    document = {
        **{layer: read_layer(folders) for layer, folders in tables.items()},
        "answers": {
            DELTALAKE: answers_of_deltalake(tables["curated"], asked),
            POLARS: answers_of_polars(tables["curated"], asked),
        },
    }
    json.dump(document, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
