"""Reads every table of a data root with the installed DuckDB, and prints what it saw.

    python read_duckdb.py DATA_ROOT QUESTIONS

The answer is a JSON document as of read_lake.py. The files are those that the log names; DuckDB's
own extension for Delta tables would have to be downloaded.
"""

import json
import sys
from urllib.parse import unquote

import duckdb

from arrow_facts import arrow_facts
from facts import LAYERS, answer_of, questions_in, table_folders


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
    connection.execute("SET TimeZone = 'UTC'")
    return arrow_facts(connection.sql(f"FROM {name}").to_arrow_table())


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
