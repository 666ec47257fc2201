"""Runs notebooks with their pages as run_notebook.py does, in one kernel that forgets all variables
between two of them: loading the packages takes longer than most cells.

    python run_all.py NOTEBOOK.ipynb...
"""

import pathlib
import sys

from jupyter_client import KernelManager

sys.path.insert(0, str(pathlib.Path(__file__).parents[2] / "notebooks"))
import nbformat  # noqa: E402
import run_notebook  # noqa: E402
from nbclient import NotebookClient  # noqa: E402

kernel = KernelManager(kernel_name="python3")
forgetting = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell("%reset -f")])
paths = [pathlib.Path(each) for each in sys.argv[1:]]
kernel.start_kernel(cwd=str(paths[0].parent))
try:
    for path in paths:
        if run_notebook.main(path, path.with_suffix(".html"), kernel) != 0:
            sys.exit(f"{path.name} failed")
        NotebookClient(forgetting, km=kernel).execute()
finally:
    kernel.shutdown_kernel(now=True)
