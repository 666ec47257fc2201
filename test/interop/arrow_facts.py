"""The facts of a table that all readers report: each hands it over in the form of Arrow."""

import hashlib

import pyarrow
import pyarrow.compute

# What differs between two lakes that were told the same: who fetched a row, when, in which slice.
PROVENANCE = {"_slice", "_fetched_at", "_run"}
TEXT = pyarrow.large_string()
FIELD_END, ITEM_END = (pyarrow.scalar(end, TEXT) for end in ("\x1f", "\x1e"))


def arrow_kind(arrow):
    types = pyarrow.types
    if types.is_list(arrow) or types.is_large_list(arrow):
        return f"list({arrow_kind(arrow.value_type)})"
    if types.is_decimal(arrow):
        return f"decimal({arrow.precision},{arrow.scale})"
    if types.is_timestamp(arrow):
        return f"timestamp({str(arrow.tz).removeprefix('Etc/')})"
    if types.is_int64(arrow):
        return "integer"
    if types.is_boolean(arrow):
        return "boolean"
    if types.is_date32(arrow):
        return "date"
    if types.is_string(arrow) or types.is_large_string(arrow) or types.is_string_view(arrow):
        return "text"
    return str(arrow)


def spelled(column):
    """The cells of a column as text that does not depend on the reader."""
    kind = column.type
    if pyarrow.types.is_list(kind) or pyarrow.types.is_large_list(kind):
        items = column.cast(pyarrow.large_list(TEXT))
        return pyarrow.compute.binary_join(items, ITEM_END)
    if pyarrow.types.is_timestamp(kind):
        column = column.cast(pyarrow.timestamp("us", kind.tz)).cast(pyarrow.int64())
    return column.cast(TEXT)


def digest(columns):
    """The rows as a multiset of texts, whatever order they come in."""
    compute = pyarrow.compute
    rows = compute.binary_join_element_wise(
        *columns, FIELD_END, null_handling="replace", null_replacement="\x00"
    )
    in_order = rows.take(compute.sort_indices(rows))
    return hashlib.sha256("\n".join(in_order.to_pylist()).encode()).hexdigest()


def range_of(column):
    found = pyarrow.compute.min_max(column)
    return [str(found["min"]), str(found["max"])]


def arrow_facts(table):
    kinds = {field.name: arrow_kind(field.type) for field in table.schema}
    columns = {name: spelled(table[name]) for name in sorted(kinds)}
    whole = digest(columns.values())
    stable = [column for name, column in columns.items() if name not in PROVENANCE]
    return {
        "rows": table.num_rows,
        "columns": kinds,
        "ranges": {name: range_of(table[name]) for name in kinds if kinds[name] == "integer"},
        "digest": whole,
        "stableDigest": whole if len(stable) == len(columns) else digest(stable),
    }
