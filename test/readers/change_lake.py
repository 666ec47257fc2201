"""Changes a lake as other programs do: through its Delta log, or behind its back.

    change_lake.py -        lines of JSON on stdin: {"call": a name in CALLS, ...}

`change` makes one change of a certified table and returns its name. `merge` writes all files again
without a change. `reread` points the views of a warehouse to the files that deltalake finds in the
logs, so that the choice of files is not windrow's.
"""

import datetime
import decimal
import glob
import json
import random
import sys

import duckdb
import pyarrow as pa
import pyarrow.parquet as pq
from deltalake import DeltaTable, write_deltalake

decimal.getcontext().prec = 50
BYTES_TRIED = 400


def rows_of(folder):
    return pa.table(DeltaTable(folder).to_pyarrow_dataset().to_table())


def paths_of(folder):
    return [path.removeprefix("file://") for path in DeltaTable(folder).file_uris()]


def places(rows, table, ranges):
    """Rows that the certificate counts."""
    first, last = (ranges[table["axis"]][end] for end in ("from", "to"))
    heights = rows[table["heightColumn"]].to_pylist()
    return [i for i, height in enumerate(heights) if height is not None and first <= height <= last]


def other(value, kind):
    """The nearest other value of a type."""
    if pa.types.is_boolean(kind):
        return not value
    if pa.types.is_integer(kind):
        return (value or 0) ^ 1
    if pa.types.is_decimal(kind):
        return (value or decimal.Decimal(0)) + decimal.Decimal(1).scaleb(-kind.scale)
    if pa.types.is_date(kind):
        return (value or datetime.date(2026, 1, 1)) + datetime.timedelta(days=1)
    if pa.types.is_timestamp(kind):
        start = datetime.datetime(2026, 1, 1, tzinfo=datetime.timezone.utc)
        return (value or start) + datetime.timedelta(microseconds=1)
    if pa.types.is_list(kind):
        return [*(value or []), "x"]
    return "x" if not value else chr(ord(value[0]) ^ 1) + value[1:]


def removed(folder, table, ranges, chance):
    rows = rows_of(folder)
    height = rows[table["heightColumn"]][chance.choice(places(rows, table, ranges))]
    DeltaTable(folder).delete(f"{table['heightColumn']} = {height}")
    return f"rows removed at {height}"


def doubled(folder, table, ranges, chance):
    rows = rows_of(folder)
    row = chance.choice(places(rows, table, ranges))
    write_deltalake(folder, rows.slice(row, 1), mode="append")
    return f"row {row} doubled"


def changed(folder, table, ranges, chance):
    rows = rows_of(folder)
    row = chance.choice(places(rows, table, ranges))
    name = chance.choice(table["columns"])["name"]
    field = rows.schema.field(name)
    values = rows[name].to_pylist()
    values[row] = other(values[row], field.type)
    column = pa.array(values, field.type)
    rows = rows.set_column(rows.schema.get_field_index(name), field, column)
    write_deltalake(folder, rows, mode="overwrite")
    return f"{name} of row {row}"


def silent(folder, table, ranges, chance):
    """Flips a bit of a data file so that readers see other values without any error."""
    path = chance.choice(paths_of(folder))
    columns = [each["name"] for each in table["columns"]]

    def seen():
        rows = pq.read_table(path)
        return [rows.take(places(rows, table, ranges))[name].to_pylist() for name in columns]

    with open(path, "rb") as opened:
        before = opened.read()
    values = seen()
    groups = pq.ParquetFile(path).metadata
    for _ in range(BYTES_TRIED):
        group = groups.row_group(chance.randrange(groups.num_row_groups))
        chunk = group.column(chance.randrange(group.num_columns))
        start = chunk.dictionary_page_offset or chunk.data_page_offset
        at = start + chance.randrange(chunk.total_compressed_size)
        after = bytearray(before)
        after[at] ^= 1 << chance.randrange(8)
        with open(path, "wb") as opened:
            opened.write(after)
        try:
            if seen() != values:
                return f"bit in byte {at} of a file"
        except Exception:  # The change is not silent.
            continue
    raise ValueError(f"no silent change of {path} in {BYTES_TRIED} bits")


KINDS = [removed, doubled, changed, changed, silent]


def change(root, certificate, seed):
    chance = random.Random(seed)
    filled = [each for each in certificate["tables"] if each["axis"] and each["rows"] > 0]
    table = chance.choice(filled)
    schema, name = table["name"].split(".")
    [folder] = glob.glob(f"{root}/{schema}/*/{name}")
    label = chance.choice(KINDS)(folder, table, certificate["ranges"], chance)
    return {"table": table["name"], "label": f"{table['name']}, {label}"}


def merge(root):
    """Rewrites the files of all tables, and changes no row."""
    for folder in [*glob.glob(f"{root}/curated/*/*"), *glob.glob(f"{root}/lake/*/reconciliations")]:
        if DeltaTable.is_deltatable(folder):
            write_deltalake(folder, rows_of(folder), mode="overwrite")


def reread(root, warehouse, certificate):
    with duckdb.connect(warehouse) as opened:
        for table in certificate["tables"]:
            if table["axis"] is None:
                continue
            schema, name = table["name"].split(".")
            folders = filter(DeltaTable.is_deltatable, glob.glob(f"{root}/{schema}/*/{name}"))
            paths = [path for folder in folders for path in paths_of(folder)]
            files = "curated_files" if schema == "curated" else "files"
            if paths:
                view = f"CREATE OR REPLACE VIEW {files}.{name} AS FROM read_parquet({paths})"
                opened.execute(view)


CALLS = {each.__name__: each for each in [change, merge, reread]}
for line in sys.stdin:
    job = json.loads(line)
    print(json.dumps(CALLS[job.pop("call")](**job)), flush=True)
