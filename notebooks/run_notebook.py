"""Runs a notebook and writes it with its results, and as one page of HTML without network.

    python3 run_notebook.py NOTEBOOK.ipynb [PAGE.html]

Exits with 3 and the name of a package that is missing, and with 1 and the error of a cell.
"""

import html
import importlib.util
import pathlib
import re
import sys

# The kernel loads most of them; here, loading them would only take time.
PACKAGES = "nbformat nbclient nbconvert altair duckdb ipykernel polars pyarrow vl_convert".split()
missing = [name for name in PACKAGES if importlib.util.find_spec(name) is None]
if missing:
    print(missing[0])
    sys.exit(3)

import nbformat  # noqa: E402
from nbclient import NotebookClient  # noqa: E402
from nbclient.exceptions import CellExecutionError  # noqa: E402
from nbconvert import HTMLExporter  # noqa: E402

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; font-src data:"
SECONDS_PER_CELL = 600


def page_of(notebook):
    """The page: no script, and nothing that is loaded from elsewhere."""
    exporter = HTMLExporter(template_name="lab", exclude_input=True, exclude_output_prompt=True)
    body, _ = exporter.from_notebook_node(notebook)
    body = re.sub(r"<script\b.*?</script>", "", body, flags=re.S | re.I)
    body = re.sub(r"<link\b[^>]*>", "", body, flags=re.I)
    meta = f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
    # The page has no code, so it names the parameters below its title.
    values = f"</h1><pre>{html.escape(parameters_of(notebook))}</pre>"
    body = body.replace("</h1>", values, 1)
    return body.replace("<head>", f"<head>{meta}", 1).replace("<html>", '<html lang="en">', 1)


def parameters_of(notebook):
    """The last cell of parameters: papermill adds one of its own."""
    tags = {"parameters", "injected-parameters"}
    cells = [cell for cell in notebook.cells if tags & set(cell.metadata.get("tags", []))]
    return cells[-1].source if cells else ""


def main(path, page=None, kernel=None):
    """Runs it in a kernel of its own, or in one that others use, too."""
    notebook = nbformat.read(path, as_version=4)
    options = {"timeout": SECONDS_PER_CELL, "kernel_name": "python3", "km": kernel}
    client = NotebookClient(notebook, **options)
    try:
        client.execute(cwd=str(path.resolve().parent))
    except CellExecutionError as error:
        print(str(error)[-4000:])
        return 1
    finally:
        nbformat.write(notebook, path)
    if page is not None:
        page.write_text(page_of(notebook), encoding="utf8")
    return 0


if __name__ == "__main__":
    sys.exit(main(*[pathlib.Path(each) for each in sys.argv[1:]]))
