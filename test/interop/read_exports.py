"""Prints the facts of Arrow files: python read_exports.py COLUMNS, a JSON file of columns by path."""

import json
import sys
from pathlib import Path

import pyarrow

from arrow_facts import arrow_facts


def read(path, columns):
    return arrow_facts(pyarrow.ipc.open_file(path).read_all().select(columns))


wanted = json.loads(Path(sys.argv[1]).read_text())
json.dump({path: read(path, columns) for path, columns in wanted.items()}, sys.stdout)
