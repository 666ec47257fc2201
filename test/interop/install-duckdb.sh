#!/usr/bin/env bash
# Installs releases of DuckDB that analysts use, each into .venv/duckdb/RELEASE: the last one of each
# line, of which 1.5 is that of windrow itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"
for release in 1.4.5 1.5.6 2.0.0; do
  "${PIP:-.venv/bin/pip}" install --quiet --no-compile --no-deps \
    --target ".venv/duckdb/$release" "duckdb==$release"
done
