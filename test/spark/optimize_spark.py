"""Maintains the tables of one layer of a data root as a job of Spark would.

    python optimize_spark.py DATA_ROOT lake|curated

Spark compacts raw tables and z-orders curated ones, into small files with rows of all heights. Then
it deletes the files that no version of the last zero hours names. Prints by table what it did.
"""

import json
import sys

from facts import table_folders
from session import open_session

# The columns that a table is z-ordered by: the first of these that it has.
Z_ORDER_COLUMNS = ("tx_hash", "zone_tx_hash", "block_hash", "holder_address")
# Bytes of a z-ordered file, so that these small tables have several.
Z_ORDERED_BYTES = "60000"


def data_files(folder):
    return len(list(folder.glob("*.parquet")))


def optimize(spark, folder, is_curated):
    table = f"delta.`{folder.absolute()}`"
    columns = spark.table(table).columns
    column = next(name for name in Z_ORDER_COLUMNS if name in columns)
    order = f" ZORDER BY ({column})" if is_curated else ""
    metrics = spark.sql(f"OPTIMIZE {table}{order}").first()["metrics"]
    before = data_files(folder)
    spark.sql(f"VACUUM {table} RETAIN 0 HOURS")
    return {
        "compacted": metrics["numFilesRemoved"],
        "into": metrics["numFilesAdded"],
        "zOrdered": metrics["numFilesAdded"] if is_curated else 0,
        "deleted": before - data_files(folder),
    }


def main(root, layer):
    is_curated = layer == "curated"
    settings = {"spark.databricks.delta.retentionDurationCheck.enabled": "false"}
    if is_curated:
        settings["spark.databricks.delta.optimize.maxFileSize"] = Z_ORDERED_BYTES
    spark = open_session(settings)
    folders = table_folders(f"{root}/{layer}")
    done = {name: optimize(spark, folder, is_curated) for name, folder in folders.items()}
    json.dump(done, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(*sys.argv[1:])
