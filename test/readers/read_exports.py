"""Reads exports with pyarrow, polars, openpyxl and the csv module; see run.mjs."""

import csv
import datetime
import decimal
import json
import pathlib
import re
import sys

import openpyxl
import polars
import pyarrow
import pyarrow.ipc
import pyarrow.parquet
from openpyxl.utils.escape import unescape

folder = pathlib.Path(sys.argv[1])
passed, failed = 0, 0
decimal.getcontext().prec = 80


def equal(label, actual, expected):
    global passed, failed
    if actual == expected:
        passed += 1
        return
    failed += 1
    print(f"DIFFERENT: {label}")
    for i, (one, other) in enumerate(zip(actual, expected)):
        if one != other:
            print(f"  at {i}: {str(one)[:300]!r} instead of {str(other)[:300]!r}")
            break


def neutral(value):
    """A cell as apache-arrow's cells are written in run.mjs."""
    if value is None:
        return None
    if isinstance(value, list):
        return [neutral(each) for each in value]
    if isinstance(value, decimal.Decimal):
        return str(int(value.scaleb(-value.as_tuple().exponent)))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime.datetime):
        return str(round((value - EPOCH) / datetime.timedelta(milliseconds=1)))
    if isinstance(value, datetime.date):
        return str((value - EPOCH.date()).days * 86_400_000)
    return value if isinstance(value, float) else str(value)


EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)
KINDS = [
    (r"decimal128\((\d+), 0\)", r"Decimal[\1e0]"),
    (r"decimal128\((\d+), (\d+)\)", r"Decimal[\1e+\2]"),
    (r"timestamp\[us, tz=UTC\]", "Timestamp<MICROSECOND, UTC>"),
    (r"date32\[day\]", "Date32<DAY>"),
    (r"^int64$", "Int64"),
    (r"^int32$", "Int32"),
    (r"^double$", "Float64"),
    (r"^bool$", "Bool"),
    (r"^string$", "Utf8"),
    (r"list<item: string>", "List<Utf8>"),
]


def kind_of(kind):
    for pattern, replacement in KINDS:
        kind = re.sub(pattern, replacement, kind)
    return kind


def text_of(value):
    """A value as the CSV writes it, without the quote in front."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, datetime.datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S") + fraction(value.microsecond)
    if isinstance(value, list):
        return value
    return value if isinstance(value, float) else str(value)


def fraction(micros):
    if micros % 1000 == 0:
        return "" if micros == 0 else f".{micros // 1000:03}"
    return f".{micros:06}"


def read_csv_cell(cell, value):
    if isinstance(value, list):
        return json.loads(cell)
    return float(cell) if isinstance(value, float) else re.sub(r"^'", "", cell, count=1)


def one_line_end(text):
    return re.sub(r"\r\n?", "\n", text)


def sheet_text(cell, value):
    """A cell of a workbook, spelled like `text_of`; numbers must have lost no digit."""
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    if isinstance(cell, datetime.datetime):
        is_time = isinstance(value, datetime.datetime)
        # Workbooks count days in floating point.
        micros = round(cell.microsecond, -3)
        return cell.strftime("%Y-%m-%d %H:%M:%S") + fraction(micros) if is_time else str(cell.date())
    if isinstance(value, float):
        return float(cell)
    if isinstance(cell, (int, float)):
        scale = -value.as_tuple().exponent if isinstance(value, decimal.Decimal) else 0
        return format(decimal.Decimal(repr(cell)), f".{scale}f")
    if isinstance(value, list):
        return json.loads(unescape(cell))
    return one_line_end(unescape(cell))


def office_text(cell, value):
    """A cell that LibreOffice wrote: numbers without trailing zeros."""
    if isinstance(value, decimal.Decimal) and cell != "":
        return format(decimal.Decimal(cell), f".{-value.as_tuple().exponent}f")
    return one_line_end(unescape(cell)).strip()


def expected_sheet(value):
    text = text_of(value)
    return one_line_end(text) if isinstance(text, str) else text


for name in ("texts", "transactions"):
    whole = pyarrow.ipc.open_file(folder / f"{name}.arrow").read_all()
    columns = {field.name: column.to_pylist() for field, column in zip(whole.schema, whole.columns)}
    apache = json.loads((folder / f"{name}.apache.json").read_text())
    fields = [[field.name, kind_of(str(field.type))] for field in whole.schema]
    equal(f"{name}: types of pyarrow and apache-arrow", fields, apache["fields"])
    for (field, values), other in zip(columns.items(), apache["columns"]):
        equal(f"{name}.{field}: pyarrow, apache-arrow", [neutral(v) for v in values], other)
    for form in ("arrow-stream", "piped"):
        streamed = pyarrow.ipc.open_stream(folder / f"{name}.{form}").read_all()
        equal(f"{name}: {form} has the table", [streamed.equals(whole)], [True])
    parquet = pyarrow.parquet.read_table(folder / f"{name}.parquet")
    equal(f"{name}: Parquet has the rows", parquet.to_pylist(), whole.to_pylist())
    frame = polars.read_ipc(folder / f"{name}.arrow")
    equal(f"{name}: polars has the rows", frame.to_dicts(), whole.to_pylist())
    exact = {field.name for field in whole.schema if "decimal" in str(field.type)}
    found = {field for field, kind in frame.schema.items() if isinstance(kind, polars.Decimal)}
    equal(f"{name}: decimals in polars", sorted(found), sorted(exact))

    lines = (folder / f"{name}.jsonl").read_text().splitlines()
    equal(f"{name}: JSON Lines has the columns", list(json.loads(lines[0])), list(columns))
    equal(f"{name}: JSON Lines has the rows", [len(lines)], [whole.num_rows])

    with (folder / f"{name}.csv").open(newline="", encoding="utf8") as file:
        rows = list(csv.reader(file))
    equal(f"{name}: CSV has the columns", rows[0], list(columns))
    for i, (field, values) in enumerate(columns.items()):
        cells = [read_csv_cell(row[i], v) for row, v in zip(rows[1:], values)]
        equal(f"{name}.{field}: CSV", cells, [text_of(v) for v in values])
        risky = [row[i] for row in rows[1:] if re.match(r"[=+@\t\r\n]", row[i])]
        equal(f"{name}.{field}: no formula in CSV", risky, [])

    book = openpyxl.load_workbook(folder / f"{name}.xlsx", read_only=True)
    header, *body = [list(row) for row in book["windrow"].iter_rows(values_only=True)]
    # openpyxl leaves out the empty cells at the end of a row.
    body = [row + [None] * (len(columns) - len(row)) for row in body]
    equal(f"{name}: XLSX has the columns", header, list(columns))
    for i, (field, values) in enumerate(columns.items()):
        cells = [sheet_text(row[i], v) for row, v in zip(body, values)]
        equal(f"{name}.{field}: XLSX in openpyxl", cells, [expected_sheet(v) for v in values])
    kinds = {cell.data_type for row in book["windrow"].iter_rows() for cell in row}
    equal(f"{name}: no formula in XLSX", sorted(kinds & {"f"}), [])

    office = folder / "office-out" / f"{name}.csv"
    if not office.exists():
        print(f"{name}: LibreOffice is not installed, so it is not compared.")
        continue
    with office.open(newline="", encoding="utf8") as file:
        _, *seen = list(csv.reader(file))
    for i, (field, values) in enumerate(columns.items()):
        if isinstance(values[0], (datetime.date, bool, list, float)):
            continue
        cells = [office_text(row[i], v) for row, v in zip(seen, values)]
        # LibreOffice drops white space at the ends of such cells.
        expected = [expected_sheet(v).strip() for v in values]
        equal(f"{name}.{field}: XLSX in LibreOffice", cells, expected)

print(f"{passed} passed, {failed} failed")
sys.exit(1 if failed else 0)
