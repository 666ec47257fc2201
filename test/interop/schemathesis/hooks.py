"""Two checks of Schemathesis, told what no status and no JSON Schema can say of this service.

A refusal is known by the code of its envelope: one kind of it comes with HTTP status 200. And the
bounds of a block range depend on each other, which the document says as `x-block-range`. JSON-RPC
answers every body with HTTP status 200: there a refusal is known by the code of its error, and one
wrong call of a batch by that of its own.
"""

import schemathesis
from schemathesis.specs.openapi import checks

BAD_PARAMETER = "50036"
# No schema can say which sources there are, which compiler, and which jobs.
UNVERIFIABLE = {"50046", "50048"}


def code_of(response):
    try:
        body = response.json()
    except ValueError:
        return None
    if isinstance(body, list):
        return next((code for each in body if (code := rpc_code_of(each)) is not None), None)
    if isinstance(body, dict) and "jsonrpc" in body:
        return rpc_code_of(body)
    return body.get("code") if isinstance(body, dict) else None


def rpc_code_of(answer):
    error = answer.get("error") if isinstance(answer, dict) else None
    return error.get("code") if isinstance(error, dict) else None


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


def is_no_source(case, response):
    """What is handed in is text as documented, but none that a compiler takes."""
    handed_in = isinstance(case.body, dict) and "sourceCode" in case.body
    return handed_in and code_of(response) == BAD_PARAMETER


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
    if code_of(response) in UNVERIFIABLE or is_no_source(case, response):
        return None
    return checks.positive_data_acceptance(ctx, response, case)
