"""The same rows with dlt: the filesystem destination, Parquet files, and its default settings."""

import sys

import dlt
from pages import addresses_in, pages

url, addresses, blocks, folder = sys.argv[1:]


@dlt.resource(name="transactions", write_disposition="append")
def transactions():
    yield from pages(url, addresses_in(addresses), int(blocks))


pipeline = dlt.pipeline(
    pipeline_name="peers",
    pipelines_dir=f"{folder}/state",
    destination=dlt.destinations.filesystem(bucket_url=f"file://{folder}/lake"),
    dataset_name="chain",
)
pipeline.run(transactions(), loader_file_format="parquet").raise_on_failed_jobs()
print(pipeline.last_trace.last_normalize_info.row_counts["transactions"])
