"""Reads every table under a data root with deltalake and with polars, and prints what each saw.

    python read_lake.py DATA_ROOT

The answer is one JSON document: {reader: {"chain/dataset": facts}}. `facts` has the same shape in
read-lake.mjs, so that two readers agree exactly when their facts are equal.
"""

import hashlib
import json
import sys
from datetime import datetime, timedelta, timezone
from decimal import Decimal, localcontext
from pathlib import Path

import deltalake
import polars
import pyarrow
import pyarrow.compute
from deltalake import DeltaTable

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
# What differs between two lakes that were told the same: who fetched a row, when, in which slice.
PROVENANCE = {"_slice", "_fetched_at", "_run"}


def spelled(cell):
    """The cell as text that does not depend on the reader; None for NULL."""
    if cell is None:
        return None
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime):
        return str((cell - EPOCH) // MICROSECOND)
    if isinstance(cell, Decimal):
        return format(cell, "f")
    if isinstance(cell, list):
        return [spelled(item) for item in cell]
    return str(cell)


def digest(rows, positions):
    """The rows as a multiset: the sum of their digests, whatever order they come in."""
    total = 0
    for row in rows:
        text = json.dumps([row[at] for at in positions], ensure_ascii=False, separators=(",", ":"))
        total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    return format(total % 2**256, "064x")


def facts_of(kinds, rows, nulls, ranges, sums, elements):
    """The facts both readers report: `kinds` maps columns to kinds, `rows` are cells by column."""
    names = sorted(kinds)
    spelled_rows = [[spelled(row[name]) for name in names] for row in rows]
    stable = [at for at, name in enumerate(names) if name not in PROVENANCE]
    return {
        "rows": len(spelled_rows),
        "columns": kinds,
        "nulls": nulls,
        "ranges": {name: [spelled(low), spelled(high)] for name, (low, high) in ranges.items()},
        "sums": {name: spelled(value) for name, value in sums.items()},
        "elements": elements,
        "digest": digest(spelled_rows, range(len(names))),
        "stableDigest": digest(spelled_rows, stable),
    }


def named(kinds, *wanted):
    return [name for name, kind in kinds.items() if kind.split("(")[0] in wanted]


def arrow_kind(arrow):
    types = pyarrow.types
    if types.is_list(arrow) or types.is_large_list(arrow):
        return f"list({arrow_kind(arrow.value_type)})"
    if types.is_decimal(arrow):
        return f"decimal({arrow.precision},{arrow.scale})"
    if types.is_timestamp(arrow):
        return f"timestamp({arrow.tz})"
    if types.is_int64(arrow):
        return "integer"
    if types.is_boolean(arrow):
        return "boolean"
    if types.is_string(arrow) or types.is_large_string(arrow):
        return "text"
    return str(arrow)


def read_with_deltalake(folder):
    """deltalake follows the log; Arrow reads the Parquet and computes."""
    table = DeltaTable(str(folder)).to_pyarrow_table()
    compute = pyarrow.compute
    kinds = {field.name: arrow_kind(field.type) for field in table.schema}

    def range_of(name):
        found = compute.min_max(table[name])
        return found["min"].as_py(), found["max"].as_py()

    def sum_of(name):
        wide = pyarrow.decimal256(76, table.schema.field(name).type.scale)
        return compute.sum(table[name].cast(wide)).as_py()

    return facts_of(
        kinds,
        table.to_pylist(),
        {name: table[name].null_count for name in kinds},
        {name: range_of(name) for name in named(kinds, "integer", "timestamp")},
        {name: sum_of(name) for name in named(kinds, "decimal")},
        {
            name: compute.sum(compute.list_value_length(table[name])).as_py() or 0
            for name in named(kinds, "list")
        },
    )


def polars_kind(dtype):
    if isinstance(dtype, polars.List):
        return f"list({polars_kind(dtype.inner)})"
    if isinstance(dtype, polars.Decimal):
        return f"decimal({dtype.precision},{dtype.scale})"
    if isinstance(dtype, polars.Datetime):
        return f"timestamp({dtype.time_zone})"
    plain = {polars.Int64: "integer", polars.Boolean: "boolean", polars.String: "text"}
    return plain.get(type(dtype), str(dtype))


def exact_sum(cells):
    """polars sums decimals within 38 digits; real token amounts pass that."""
    present = [cell for cell in cells if cell is not None]
    with localcontext() as context:
        context.prec = 200
        return sum(present) if present else None


def read_with_polars(folder):
    """deltalake follows the log; polars reads the Parquet with a reader of its own."""
    frame = polars.read_delta(str(folder))
    kinds = {name: polars_kind(dtype) for name, dtype in frame.schema.items()}
    return facts_of(
        kinds,
        frame.to_dicts(),
        {name: frame[name].null_count() for name in kinds},
        {
            name: (frame[name].min(), frame[name].max())
            for name in named(kinds, "integer", "timestamp")
        },
        {name: exact_sum(frame[name].to_list()) for name in named(kinds, "decimal")},
        {name: int(frame[name].list.len().sum() or 0) for name in named(kinds, "list")},
    )


def read_log(folder):
    """What the log says, by deltalake's account of it."""
    table = DeltaTable(str(folder))
    return {"version": table.version(), "files": sorted(Path(uri).name for uri in table.file_uris())}


READERS = {
    f"deltalake {deltalake.__version__}": read_with_deltalake,
    f"polars {polars.__version__}": read_with_polars,
}


def main(root):
    lake = Path(root) / "lake"
    # Beside the datasets lie an index of the logs and what broke its contract.
    folders = sorted(
        log.parent
        for log in lake.glob("*/*/_delta_log")
        if log.parent.name not in ("coverage", "quarantine")
    )
    tables = {str(folder.relative_to(lake)): folder for folder in folders}
    facts = {
        reader: {name: read(folder) for name, folder in tables.items()}
        for reader, read in READERS.items()
    }
    log = {name: read_log(folder) for name, folder in tables.items()}
    json.dump({"readers": facts, "log": log}, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
