"""Verifies certificates and proofs by docs/certificate.md alone.

    verify_certificate.py FILE [WAREHOUSE [PUBLIC_KEY]]
    verify_certificate.py -        lines of JSON on stdin: {"file", "warehouse", "publicKey"}

Prints `verified`, or `refused` with the first reason, a line per file.
"""

import datetime
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


def leaf_of(values):
    return sha256(b"\0", row_bytes(values))


def split(count):
    """Leaves of the left subtree."""
    return 1 << (count - 1).bit_length() - 1


def root_of(leaves):
    if len(leaves) < 2:
        return leaves[0] if leaves else sha256()
    left = split(len(leaves))
    return sha256(b"\1", root_of(leaves[:left]), root_of(leaves[left:]))


def root_by_path(leaf, index, count, path):
    if count < 2:
        need(not path, "the path is too long")
        return leaf
    need(path, "the path is too short")
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


def check_leaves(table, leaves):
    need(len(leaves) == table["rows"], f"{table['name']} has {len(leaves)} rows")
    need(root_of(sorted(leaves)).hex() == table["root"], f"{table['name']} has another root")


def check_proof(proof):
    need(sorted(proof) == sorted(PROOF), "members of the proof are absent or unknown")
    need(proof["format"] == "windrow-proof/1", "the format is unknown")
    [table] = [each for each in proof["certificate"]["tables"] if each["name"] == proof["table"]]
    index, count = proof["index"], table["rows"]
    need(type(index) is int and 0 <= index < count, "there is no such row")
    need(all(re.fullmatch("[0-9a-f]{64}", each) for each in proof["path"]), "no digest")
    path = [bytes.fromhex(each) for each in proof["path"]]
    root = root_by_path(leaf_of(proof["row"]), index, count, path)
    need(root.hex() == table["root"], "the path leads to another root")


def text_of(value):
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, decimal.Decimal):
        return format(value, "f")
    if isinstance(value, list):
        return row_bytes([text_of(each) for each in value]).decode()
    return value.isoformat() if isinstance(value, datetime.date) else str(value)


def rows_of(lake, table, certificate):
    """Rows of a table of the lake as texts: lists of values."""
    names = [column["name"] for column in table["columns"]]
    times = [each["name"] for each in table["columns"] if each["type"].startswith("TIMESTAMP")]
    columns = ", ".join(f'epoch_us("{each}")' if each in times else f'"{each}"' for each in names)
    rows = lake.execute(f"SELECT {columns} FROM {table['name']}").fetchall()
    for row in rows:
        values = dict(zip(names, row))
        axis = values["axis"] if table["axis"] is None else table["axis"]
        blocks = certificate["ranges"].get(axis)
        if blocks is None:
            continue
        address = certificate["address"]
        if table["axis"] is None:
            if values["from_block"] > blocks["to"] or values["to_block"] < blocks["from"]:
                continue
            if address is not None and values["key"] not in ("", address):
                continue
            values["from_block"] = max(values["from_block"], blocks["from"])
            values["to_block"] = min(values["to_block"], blocks["to"])
        else:
            height = values[table["heightColumn"]]
            if height is None or not blocks["from"] <= height <= blocks["to"]:
                continue
            held = ",".join(values[each] or "" for each in names if each.endswith("address"))
            if address is not None and address not in held.split(","):
                continue
        yield {name: text_of(value) for name, value in values.items()}


def check_coverage(certificate, rows):
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row.get(name) for name in SUMMARY), []).append(row)
    found = []
    for group, members in groups.items():
        one = dict(zip(SUMMARY, group))
        one["keyKind"] = one.pop("key_kind")
        if "evidence" not in members[0]:
            del one["evidence"]
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
            check_leaves(table, [leaf_of(row) for row in table["content"]])
    if certificate is not value:
        check_proof(value)
    if warehouse is None:
        return
    with duckdb.connect(warehouse, read_only=True) as lake:
        lake.execute("SET TimeZone = 'UTC'")
        for table in certificate["tables"]:
            rows = list(rows_of(lake, table, certificate))
            check_leaves(table, [leaf_of(list(row.values())) for row in rows])
            if table["axis"] is None:
                check_coverage(certificate, rows)


def result(file, warehouse=None, public_key=None):
    try:
        with open(file, "rb") as opened:
            verify(opened.read(), warehouse, public_key)
        return "verified"
    except Exception as reason:  # A file that breaks the verifier is not verified.
        return f"refused: {type(reason).__name__} {reason}".splitlines()[0]


if sys.argv[1] == "-":
    for line in sys.stdin:
        one = json.loads(line)
        print(result(one["file"], one["warehouse"], one["publicKey"]), flush=True)
else:
    print(result(*sys.argv[1:]))
