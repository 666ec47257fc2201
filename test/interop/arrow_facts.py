"""The facts of a table that a reader hands over in the form of Arrow, which computes them."""

import pyarrow
import pyarrow.compute

from facts import facts_of, named


def arrow_kind(arrow):
    types = pyarrow.types
    if types.is_list(arrow) or types.is_large_list(arrow):
        return f"list({arrow_kind(arrow.value_type)})"
    if types.is_decimal(arrow):
        return f"decimal({arrow.precision},{arrow.scale})"
    if types.is_timestamp(arrow):
        return f"timestamp({arrow.tz})"
    if types.is_int64(arrow):
        return "integer"
    if types.is_boolean(arrow):
        return "boolean"
    if types.is_date32(arrow):
        return "date"
    if types.is_string(arrow) or types.is_large_string(arrow):
        return "text"
    return str(arrow)


def arrow_facts(table):
    compute = pyarrow.compute
    kinds = {field.name: arrow_kind(field.type) for field in table.schema}

    def range_of(name):
        found = compute.min_max(table[name])
        return found["min"].as_py(), found["max"].as_py()

    def sum_of(name):
        wide = pyarrow.decimal256(76, table.schema.field(name).type.scale)
        return compute.sum(table[name].cast(wide)).as_py()

    return facts_of(
        kinds,
        table.to_pylist(),
        {name: table[name].null_count for name in kinds},
        {name: range_of(name) for name in named(kinds, "integer", "timestamp", "date")},
        {name: sum_of(name) for name in named(kinds, "decimal")},
        {
            name: compute.sum(compute.list_value_length(table[name])).as_py() or 0
            for name in named(kinds, "list")
        },
    )
