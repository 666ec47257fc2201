"""Two checks of Schemathesis, told what no status and no JSON Schema can say of this service.

A refusal is known by the code of its envelope: one kind of it comes with HTTP status 200. And the
bounds of a block range depend on each other, which the document says as `x-block-range`.
"""

import schemathesis
from schemathesis.specs.openapi import checks

BAD_PARAMETER = "50036"


def code_of(response):
    try:
        body = response.json()
    except ValueError:
        return None
    return body.get("code") if isinstance(body, dict) else None


def breaks_block_range(case):
    bounds = case.operation.definition.raw.get("x-block-range")
    query = case.query or {}
    if bounds is None or bounds["from"] not in query or bounds["to"] not in query:
        return False
    try:
        first, last = int(query[bounds["from"]]), int(query[bounds["to"]])
    except (TypeError, ValueError):
        return False
    widest = bounds.get("maxDifference")
    return first > last or (widest is not None and last - first > int(widest))


@schemathesis.check
def negative_data_rejection_by_code(ctx, response, case):
    """What the document does not allow is refused."""
    if code_of(response) not in (None, "0"):
        return None
    return checks.negative_data_rejection(ctx, response, case)


@schemathesis.check
def positive_data_acceptance_in_range(ctx, response, case):
    """What the document allows is answered."""
    if code_of(response) == BAD_PARAMETER and breaks_block_range(case):
        return None
    return checks.positive_data_acceptance(ctx, response, case)
