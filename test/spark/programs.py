"""The command line of the programs here that read Delta tables.

    python PROGRAM newest DATA_ROOT
    python PROGRAM versions DATA_ROOT VERSIONS

`newest` prints a document as test/interop/read_lake.py does. `versions` reads older versions: the
file VERSIONS names one per table, {"lake": {"chain/table": 7}, "curated": ...}. It prints
{"lake": {reader: {"chain/table": facts}}, "curated": ...}.
"""

import json
import sys
from pathlib import Path

from facts import LAYERS, table_folders


def newest(root, readers, log):
    document = {"answers": {}}
    for layer in LAYERS:
        folders = table_folders(f"{root}/{layer}")
        document[layer] = {
            "readers": {
                reader: {name: read(folder, None) for name, folder in folders.items()}
                for reader, read in readers.items()
            },
            "log": {
                reader: {name: describe(folder) for name, folder in folders.items()}
                for reader, describe in log.items()
            },
        }
    return document


def versions(root, file, readers):
    asked = json.loads(Path(file).read_text())
    return {
        layer: {
            reader: {
                name: read(Path(root, layer, name), version)
                for name, version in asked[layer].items()
            }
            for reader, read in readers.items()
        }
        for layer in LAYERS
    }


def answer(arguments, readers, log={}):
    """`readers` read a table at a version (None: the newest); `log` tell its newest version."""
    verb, root, *file = arguments
    document = newest(root, readers, log) if verb == "newest" else versions(root, *file, readers)
    json.dump(document, sys.stdout)
    sys.stdout.write("\n")
