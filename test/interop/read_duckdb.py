"""Reads every table of a data root with the installed DuckDB, and prints what it saw.

    python read_duckdb.py DATA_ROOT QUESTIONS

The answer is a JSON document as of read_lake.py. The files are those that the log names; DuckDB's
own extension for Delta tables would have to be downloaded.
"""

import json
import sys
from decimal import localcontext
from urllib.parse import unquote

import duckdb

from facts import LAYERS, answer_of, facts_of, named, questions_in, table_folders

KINDS = {
    "VARCHAR": "text",
    "BIGINT": "integer",
    "BOOLEAN": "boolean",
    "DATE": "date",
    "DOUBLE": "double",
    "TIMESTAMP WITH TIME ZONE": "timestamp(UTC)",
}


def kind_of(type_name):
    if type_name.endswith("[]"):
        return f"list({kind_of(type_name[:-2])})"
    return KINDS.get(type_name, type_name.lower())


def files_of(folder):
    """The data files of the newest version."""
    files = {}
    for entry in sorted(folder.joinpath("_delta_log").glob("*.json")):
        for line in filter(None, entry.read_text().split("\n")):
            action = json.loads(line)
            if "remove" in action:
                files.pop(unquote(action["remove"]["path"]), None)
            if "add" in action:
                files[unquote(action["add"]["path"])] = True
    return [str(folder / path) for path in files]


def read_with_duckdb(connection, name):
    described = connection.sql(f"DESCRIBE {name}").fetchall()
    kinds = {column: kind_of(type_name) for column, type_name, *_ in described}

    def computed(columns, sql):
        if not columns:
            return {}
        [found] = connection.sql(f"SELECT {', '.join(map(sql, columns))} FROM {name}").fetchall()
        return dict(zip(columns, found))

    rows = connection.sql(f"SELECT {', '.join(kinds)} FROM {name}").fetchall()
    ranged = named(kinds, "integer", "timestamp", "date")
    lows = computed(ranged, lambda column: f"min({column})")
    highs = computed(ranged, lambda column: f"max({column})")
    return facts_of(
        kinds,
        [dict(zip(kinds, row)) for row in rows],
        computed(list(kinds), lambda column: f"count(*) - count({column})"),
        {column: (lows[column], highs[column]) for column in ranged},
        # A sum of DECIMAL(38, 18) ends with an error past 1e20.
        exact_sums(rows, kinds),
        computed(named(kinds, "list"), lambda column: f"coalesce(sum(len({column})), 0)::BIGINT"),
    )


def exact_sums(rows, kinds):
    sums = {}
    with localcontext() as context:
        context.prec = 200
        for at, (column, kind) in enumerate(kinds.items()):
            if not kind.startswith("decimal"):
                continue
            present = [row[at] for row in rows if row[at] is not None]
            sums[column] = sum(present) if present else None
    return sums


def main(root, questions):
    connection = duckdb.connect()
    reader = f"DuckDB {duckdb.__version__}"
    document = {}
    for layer in LAYERS:
        facts = {}
        for name, folder in table_folders(f"{root}/{layer}").items():
            table = name.split("/")[1]
            files = ", ".join(f"'{path}'" for path in files_of(folder))
            connection.execute(
                f"CREATE OR REPLACE VIEW {table} AS SELECT * FROM read_parquet([{files}])"
            )
            facts[name] = read_with_duckdb(connection, table)
        document[layer] = {"readers": {reader: facts}}
    # The views are those of the last layer, the curated tables.
    answers = {
        name: answer_of(connection.sql(sql).fetchall())
        for name, sql in questions_in(questions).items()
    }
    json.dump({**document, "answers": {reader: answers}}, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
