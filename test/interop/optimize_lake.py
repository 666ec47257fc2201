"""Maintains every table under a data root as another engine's housekeeping would.

    python optimize_lake.py DATA_ROOT

Small files are compacted into few, a checkpoint is written, and files that no version of the last
zero hours names are deleted. Prints one JSON document with what was done to each table.
"""

import json
import sys
from pathlib import Path

from deltalake import DeltaTable


def optimize(folder):
    table = DeltaTable(str(folder))
    metrics = table.optimize.compact()
    table.create_checkpoint()
    table.cleanup_metadata()
    deleted = table.vacuum(retention_hours=0, enforce_retention_duration=False, dry_run=False)
    return {
        "compacted": metrics["numFilesRemoved"],
        "into": metrics["numFilesAdded"],
        "deleted": len(deleted),
        "version": table.version(),
    }


def main(root):
    lake = Path(root) / "lake"
    # Beside the datasets lie an index of the logs and what broke its contract.
    folders = sorted(
        log.parent
        for log in lake.glob("*/*/_delta_log")
        if log.parent.name not in ("coverage", "quarantine")
    )
    done = {str(folder.relative_to(lake)): optimize(folder) for folder in folders}
    json.dump(done, sys.stdout)
    sys.stdout.write("\n")


if __name__ == "__main__":
    main(sys.argv[1])
