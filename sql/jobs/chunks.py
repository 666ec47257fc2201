"""Computes chunks of heights for `windrow load --engine`.

windrow writes one job per file: SQL, and the files that it reads and writes. `compute` executes a job
with DuckDB and is the same wherever it runs. windrow commits the files that the jobs wrote.
"""

import json
import os
import tempfile
import uuid
from pathlib import Path

import duckdb

# DuckDB keeps a little freed memory with every chunk.
CHUNKS_PER_SESSION = 8

_session = {"begin": None, "chunks": 0, "connection": None}


def jobs(folder):
    """Paths of the jobs in a folder, in their order."""
    return sorted(str(path) for path in Path(folder).glob("job-*.json"))


def compute(path):
    """Computes the job in a file, and returns its result as JSON."""
    job = json.loads(Path(path).read_text())
    for file in job["files"]:
        size = os.stat(file["path"]).st_size
        if size != file.get("bytes", size):
            raise ValueError(f"{file['path']} has {size} bytes, and not {file['bytes']}")
    connection = _connection(job["begin"])
    _run(connection, job["steps"])
    wrong = connection.execute("FROM temp.wrong ORDER BY ALL").fetchall()
    files = []
    for table in job["tables"] if not wrong else []:
        _run(connection, table["steps"])
        files.append({"table": table["name"], **_write(connection, **table["output"])})
    return json.dumps({"job": os.path.basename(path), "wrong": wrong, "files": files})


def finish(folder, results):
    """Hands the results of all jobs to windrow."""
    Path(folder, "results.json").write_text(f"[{','.join(results)}]")


def _run(connection, steps):
    for step in steps:
        if isinstance(step, str):
            connection.execute(step)
        else:
            found = connection.execute(f"SELECT EXISTS ({step['exists']})").fetchone()[0]
            _run(connection, step["ifFound"] if found else step["ifNone"])


def _write(connection, path, copy):
    # A task that was given up may still write its file.
    own = os.path.join(os.path.dirname(path), f"part-{uuid.uuid4()}.parquet")
    rows = connection.execute(copy.replace(_literal(path), _literal(own))).fetchone()[0]
    os.replace(own, path)
    return {"path": path, "rows": rows}


def _literal(text):
    return "'" + text.replace("'", "''") + "'"


def _connection(begin):
    """The session of this process, which has executed the first steps of the job."""
    key = json.dumps(begin)
    if _session["begin"] == key and _session["chunks"] < CHUNKS_PER_SESSION:
        _session["chunks"] += 1
        return _session["connection"]
    if _session["connection"] is not None:
        _session["connection"].close()
        _session["begin"] = None
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // os.cpu_count()
    connection = duckdb.connect(
        config={
            "threads": 1,
            "memory_limit": f"{memory * 8 // 10 // 2**20}MiB",
            "temp_directory": os.path.join(tempfile.gettempdir(), f"windrow-spilled-{os.getpid()}"),
        }
    )
    _session.update(connection=connection, chunks=1)
    _run(connection, begin)
    _session["begin"] = key
    return connection
