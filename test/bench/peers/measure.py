"""Runs a command and prints its CPU seconds, time and peak memory as JSON, with all its children."""

import json
import os
import resource
import sys
import time

started = time.monotonic()
child = os.posix_spawnp(
    sys.argv[1],
    sys.argv[1:],
    os.environ,
    file_actions=[(os.POSIX_SPAWN_DUP2, 2, 1)],
)
_, status = os.waitpid(child, 0)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
measured = {
    "cpuSeconds": used.ru_utime + used.ru_stime,
    "seconds": time.monotonic() - started,
    "peakMb": used.ru_maxrss / 1024,
}
print(json.dumps(measured), file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
