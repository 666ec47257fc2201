"""Maintains the tables of one layer of a data root as another engine's housekeeping would.

    python optimize_lake.py DATA_ROOT lake|curated

Small files are compacted into few, a checkpoint is written, and files that no version of the last
zero hours names are deleted. Curated tables are z-ordered, too: into small files with rows of all
heights. Prints one JSON document with what was done to each table.
"""

import json
import sys

from deltalake import DeltaTable

from facts import table_folders

# Bytes of a z-ordered file, so that these small tables have several.
Z_ORDERED_BYTES = 30_000
# The column that a table is z-ordered by: the first of these that it has.
Z_ORDER_COLUMNS = ("tx_hash", "zone_tx_hash", "block_hash", "holder_address")


def z_order(table):
    names = {field.name for field in table.schema().fields}
    column = next(name for name in Z_ORDER_COLUMNS if name in names)
    return table.optimize.z_order([column], target_size=Z_ORDERED_BYTES)["numFilesAdded"]


def optimize(folder, is_curated):
    table = DeltaTable(str(folder))
    metrics = table.optimize.compact()
    z_ordered = z_order(table) if is_curated else 0
    table.create_checkpoint()
    table.cleanup_metadata()
    deleted = table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    return {
        "compacted": metrics["numFilesRemoved"],
        "into": metrics["numFilesAdded"],
        "zOrdered": z_ordered,
        "deleted": len(deleted),
        "version": table.version(),
    }


def main(root, layer):
    folders = table_folders(f"{root}/{layer}")
    done = {name: optimize(folder, layer == "curated") for name, folder in folders.items()}
    json.dump(done, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
