"""What the readers in Python share: the tables of a data root, and the form of an answer."""

import json
from datetime import date, datetime, timedelta, timezone
from decimal import Decimal
from pathlib import Path

EPOCH = datetime(1970, 1, 1, tzinfo=timezone.utc)
MICROSECOND = timedelta(microseconds=1)
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
    float: repr,
}


def answer_of(rows):
    """Rows of an answer, each a list of texts."""
    return [[SPELLED[type(cell)](cell) for cell in row] for row in rows]


def table_folders(place):
    """The Delta tables below a folder of chains, by `chain/table`."""
    folders = sorted(
        log.parent
        for log in Path(place).glob("*/*/_delta_log")
        if log.parent.name not in NO_DATASETS and not log.parent.name.startswith("empty_look_ups_")
    )
    return {str(folder.relative_to(place)): folder for folder in folders}


# The folders of a data root that hold tables. Questions are about curated tables.
LAYERS = ("lake", "curated")


def questions_in(file):
    """The questions of a file, SQL by name."""
    return json.loads(Path(file).read_text())
