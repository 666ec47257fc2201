"""Computes the jobs in a folder as tasks of Spark: spark.py FOLDER MASTER."""

import os
import sys

import chunks
import pandas
from pyspark.sql import SparkSession


def work(frames):
    # From a file of the job: so the session lives as long as the Python of an executor.
    from chunks import compute

    for frame in frames:
        yield pandas.DataFrame({"result": [compute(path) for path in frame["path"]]})


folder, master = sys.argv[1:3]
os.environ.setdefault("PYSPARK_PYTHON", sys.executable)
spark = SparkSession.builder.master(master).appName("windrow load").getOrCreate()
spark.sparkContext.addPyFile(chunks.__file__)
paths = chunks.jobs(folder)
frame = spark.createDataFrame([(path,) for path in paths], "path string")
tasks = frame.repartition(len(paths)).mapInPandas(work, "result string")
chunks.finish(folder, [row.result for row in tasks.collect()])
spark.stop()
