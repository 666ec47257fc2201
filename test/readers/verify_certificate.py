"""Verifies certificates and proofs by docs/certificate.md alone.

    verify_certificate.py FILE [WAREHOUSE [PUBLIC_KEY]]
    verify_certificate.py -        lines of JSON on stdin: {"file", "warehouse", "publicKey"}

Prints `verified`, or `refused` with the first reason, a line per file.
"""

import decimal
import hashlib
import json
import re
import sys

import duckdb
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

MEMBERS = """format windrow issuedAt address services chains ranges tables coverage sources
    checkpoints publicKey signature""".split()
PROOF = ["format", "certificate", "table", "row", "index", "path"]
SUMMARY = "axis dataset endpoint variant side key_kind status evidence".split()


def need(condition, reason):
    if not condition:
        raise ValueError(reason)


def canonical(value):
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return text.encode()


def row_bytes(values):
    need(all(value is None or type(value) is str for value in values), "a row has other values")
    text = json.dumps(values, separators=(",", ":"), ensure_ascii=False)
    escape = lambda m: m[0] if m[1] is None else "\\u" + m[1].upper()
    return re.sub(r"\\(?:u([0-9a-f]{4})|.)", escape, text).encode()


def sha256(*parts):
    return hashlib.sha256(b"".join(parts)).digest()


def split(count):
    """Leaves of the left subtree."""
    return 1 << (count - 1).bit_length() - 1


def root_of(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256()
    left = split(len(leaves))
    return sha256(b"\1", root_of(leaves[:left]), root_of(leaves[left:]))


def root_by_path(leaf, index, count, path):
    need((count < 2) == (not path), "the path has another length")
    if not path:
        return leaf
    left = split(count)
    if index < left:
        return sha256(b"\1", root_by_path(leaf, index, left, path[:-1]), path[-1])
    return sha256(b"\1", path[-1], root_by_path(leaf, index - left, count - left, path[:-1]))


def check_signature(certificate, public_key):
    need(sorted(certificate) == sorted(MEMBERS), "members are absent or unknown")
    need(certificate["format"] == "windrow-certificate/1", "the format is unknown")
    unsigned = {name: value for name, value in certificate.items() if name != "signature"}
    need(re.fullmatch("[0-9a-f]{128}", certificate["signature"]), "no signature in lower-case hex")
    key = Ed25519PublicKey.from_public_bytes(bytes.fromhex(certificate["publicKey"]))
    key.verify(bytes.fromhex(certificate["signature"]), canonical(unsigned))
    need(public_key in (None, certificate["publicKey"]), "another key has signed")


def check_rows(table, rows):
    leaves = sorted(sha256(b"\0", row_bytes(row)) for row in rows)
    need(len(leaves) == table["rows"], f"{table['name']} has {len(leaves)} rows")
    need(root_of(leaves).hex() == table["root"], f"{table['name']} has another root")


def check_proof(proof):
    need(sorted(proof) == sorted(PROOF), "members of the proof are absent or unknown")
    need(proof["format"] == "windrow-proof/1", "the format is unknown")
    [table] = [each for each in proof["certificate"]["tables"] if each["name"] == proof["table"]]
    index, count, leaf = proof["index"], table["rows"], sha256(b"\0", row_bytes(proof["row"]))
    need(type(index) is int and 0 <= index < count, "there is no such row")
    need(all(re.fullmatch("[0-9a-f]{64}", each) for each in proof["path"]), "no digest")
    root = root_by_path(leaf, index, count, [bytes.fromhex(each) for each in proof["path"]])
    need(root.hex() == table["root"], "the path leads to another root")


def text_of(value):
    if isinstance(value, list):
        return row_bytes([text_of(each) for each in value]).decode()
    text = format(value, "f") if isinstance(value, decimal.Decimal) else str(value)
    return value if value is None else text.lower() if isinstance(value, bool) else text


def rows_of(lake, table, certificate):
    """Rows of a table of the lake, as texts by the names of columns."""
    kinds = {column["name"]: column["type"] for column in table["columns"]}
    columns = [f'epoch_us("{n}")' if k[:9] == "TIMESTAMP" else f'"{n}"' for n, k in kinds.items()]
    address, is_coverage = certificate["address"], table["axis"] is None
    for row in lake.execute(f"SELECT {', '.join(columns)} FROM {table['name']}").fetchall():
        values = dict(zip(kinds, row))
        blocks = certificate["ranges"].get(values["axis"] if is_coverage else table["axis"])
        names = ("from_block", "to_block") if is_coverage else [table["heightColumn"]] * 2
        first, last = values[names[0]], values[names[1]]
        if blocks is None or first is None or first > blocks["to"] or last < blocks["from"]:
            continue
        if is_coverage:
            values["from_block"] = max(first, blocks["from"])
            values["to_block"] = min(last, blocks["to"])
        holders = ",".join(values[name] or "" for name in kinds if name.endswith("address"))
        held = ["", values["key"]] if is_coverage else holders.split(",")
        if address is None or address in held or is_coverage and values["key"] == "":
            yield {name: text_of(value) for name, value in values.items()}


def check_coverage(certificate, rows):
    groups = {}
    for row in rows:
        group = tuple((name, row[name]) for name in SUMMARY if name in row)
        groups.setdefault(group, []).append(row)
    found = []
    for group, members in groups.items():
        one = {"keyKind" if name == "key_kind" else name: value for name, value in group}
        one["keys"] = len({row["key"] for row in members})
        one["fromBlock"] = min(int(row["from_block"]) for row in members)
        one["toBlock"] = max(int(row["to_block"]) for row in members)
        found.append(canonical(one))
    need(sorted(found) == sorted(map(canonical, certificate["coverage"])), "coverage differs")


def verify(content, warehouse=None, public_key=None):
    value = json.loads(content)
    need(canonical(value) + b"\n" == content, "the file is not canonical")
    certificate = value.get("certificate", value)
    check_signature(certificate, public_key)
    for table in certificate["tables"]:
        if "content" in table:
            check_rows(table, table["content"])
    if certificate is not value:
        check_proof(value)
    if warehouse is None:
        return
    with duckdb.connect(warehouse, read_only=True) as lake:
        lake.execute("SET TimeZone = 'UTC'")
        for table in certificate["tables"]:
            rows = list(rows_of(lake, table, certificate))
            check_rows(table, [list(row.values()) for row in rows])
            if table["axis"] is None:
                check_coverage(certificate, rows)


def result(file, warehouse=None, publicKey=None):
    try:
        with open(file, "rb") as opened:
            verify(opened.read(), warehouse, publicKey)
        return "verified"
    except Exception as reason:  # A file that breaks the verifier is not verified.
        return f"refused: {type(reason).__name__} {reason}".splitlines()[0]


if sys.argv[1] == "-":
    for line in sys.stdin:
        print(result(**json.loads(line)), flush=True)
else:
    print(result(*sys.argv[1:]))
