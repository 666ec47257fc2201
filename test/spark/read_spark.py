"""Reads every table of a data root with Spark and delta-spark; programs.py has the arguments."""

import sys
from importlib.metadata import version as installed
from pathlib import Path
from urllib.parse import unquote

from arrow_facts import arrow_facts
from delta import DeltaTable
from programs import answer
from session import open_session

spark = open_session()
NAME = f"Spark {installed('pyspark')}"


def frame(folder, version=None):
    reader = spark.read.format("delta")
    if version is not None:
        reader = reader.option("versionAsOf", version)
    return reader.load(folder.absolute().as_uri())


def read_with_spark(folder, version):
    """Spark follows the log and reads the Parquet; Arrow computes."""
    return arrow_facts(frame(folder, version).toArrow())


def read_log(folder):
    """What the log says, by Spark's account of it."""
    history = DeltaTable.forPath(spark, folder.absolute().as_uri()).history(1)
    files = [unquote(Path(uri).name) for uri in frame(folder).inputFiles()]
    return {"version": history.first()["version"], "files": sorted(files)}


if __name__ == "__main__":
    answer(sys.argv[1:], {NAME: read_with_spark}, {NAME: read_log})
