"""A session of Spark on this machine that reads and writes Delta tables."""

import os
import sys
from pathlib import Path

import delta
from pyspark.sql import SparkSession

# Its jars, which Spark fetches from Maven once.
JARS = Path(__file__).parent / ".venv" / "ivy"

SETTINGS = {
    "spark.sql.extensions": "io.delta.sql.DeltaSparkSessionExtension",
    "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
    "spark.sql.session.timeZone": "UTC",
    "spark.jars.ivy": str(JARS),
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.memory": "2g",
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.log.level": "ERROR",
    # These tables are small: many tasks would only wait for each other.
    "spark.sql.shuffle.partitions": "2",
    "spark.databricks.delta.snapshotPartitions": "2",
    # Else VACUUM lists one folder in 10,000 tasks.
    "spark.sql.sources.parallelPartitionDiscovery.parallelism": "2",
}


def open_session(more={}, packages=()):
    # The program answers on stdout. Spark prints there, too, and writes to stderr instead.
    sys.stdout = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    builder = SparkSession.builder.master("local[2]").appName("windrow")
    for name, value in (SETTINGS | more).items():
        builder = builder.config(name, value)
    return delta.configure_spark_with_delta_pip(builder, list(packages)).getOrCreate()
