"""Times in which a program opens the newest versions of tables: its files, without their rows.

    python open_times.py deltalake|polars|Spark TABLE...

Prints the median of seven times of each table [ms], in turns and after a warm-up, all in one
process. Spark keeps nothing from one time to the next.
"""

import sys
from statistics import median
from time import perf_counter

TIMES = 7
WARM_UPS = 3


def opener_of(program):
    if program == "deltalake":
        from deltalake import DeltaTable

        return lambda folder: DeltaTable(folder).file_uris()
    if program == "polars":
        import polars

        return lambda folder: polars.scan_delta(folder).collect_schema()
    from session import open_session

    spark = open_session()
    logs = spark._jvm.org.apache.spark.sql.delta.DeltaLog

    def open_with_spark(folder):
        logs.clearCache()
        return spark.read.format("delta").load(f"file://{folder}").inputFiles()

    return open_with_spark


def main(program, *folders):
    opened = opener_of(program)
    times = {folder: [] for folder in folders}
    for turn in range(WARM_UPS + TIMES):
        for folder in folders:
            start = perf_counter()
            opened(folder)
            if turn >= WARM_UPS:
                times[folder].append((perf_counter() - start) * 1000)
    print(" ".join(f"{median(taken):.1f}" for taken in times.values()))


if __name__ == "__main__":
    main(*sys.argv[1:])
