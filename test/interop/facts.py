"""The facts of a table that all readers report, as far as they are made in Python."""

import hashlib
import json
import struct
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
# What differs between two lakes that were told the same: who fetched a row, when, in which slice.
PROVENANCE = {"_slice", "_fetched_at", "_run"}
# Tables beside the datasets: an index of the logs, records that break their contract, and findings.
NO_DATASETS = ("coverage", "quarantine", "check_evidence", "zone_check_evidence")


# Cells as text that does not depend on the reader, by their type; None for NULL.
SPELLED = {
    type(None): lambda cell: None,
    bool: lambda cell: "true" if cell else "false",
    int: str,
    str: str,
    date: str,
    datetime: lambda cell: str((cell - EPOCH) // MICROSECOND),
    Decimal: lambda cell: format(cell, "f"),
    float: lambda cell: struct.pack(">d", cell).hex(),
    list: lambda cell: [spelled(item) for item in cell],
}
ENCODER = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"))


def spelled(cell):
    return SPELLED[type(cell)](cell)


def digest(rows, positions):
    """The rows as a multiset: the sum of their digests, whatever order they come in."""
    total = 0
    for row in rows:
        text = ENCODER.encode([row[at] for at in positions])
        total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
    return format(total % 2**256, "064x")


def facts_of(kinds, rows, nulls, ranges, sums, elements):
    """The facts all readers report: `kinds` maps columns to kinds, `rows` are cells by column."""
    names = sorted(kinds)
    spelled_rows = [[spelled(row[name]) for name in names] for row in rows]
    stable = [at for at, name in enumerate(names) if name not in PROVENANCE]
    whole = digest(spelled_rows, range(len(names)))
    return {
        "rows": len(spelled_rows),
        "columns": kinds,
        "nulls": nulls,
        "ranges": {name: [spelled(low), spelled(high)] for name, (low, high) in ranges.items()},
        "sums": {name: spelled(value) for name, value in sums.items()},
        "elements": elements,
        "digest": whole,
        "stableDigest": whole if len(stable) == len(names) else digest(spelled_rows, stable),
    }


def named(kinds, *wanted):
    return [name for name, kind in kinds.items() if kind.split("(")[0] in wanted]


def answer_of(rows):
    """Rows of an answer, each a list of texts."""
    return [[repr(cell) if isinstance(cell, float) else spelled(cell) for cell in row] for row in rows]


def table_folders(place):
    """The Delta tables below a folder of chains, by `chain/table`."""
    folders = sorted(
        log.parent
        for log in Path(place).glob("*/*/_delta_log")
        if log.parent.name not in NO_DATASETS
    )
    return {str(folder.relative_to(place)): folder for folder in folders}


# The folders of a data root that hold tables. Questions are about curated tables.
LAYERS = ("lake", "curated")


def questions_in(file):
    """The questions of a file, SQL by name."""
    return json.loads(Path(file).read_text())
