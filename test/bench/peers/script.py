"""The same rows with a script that an engineer writes in an hour: typed, sorted, in one file."""

import sys
from decimal import Decimal

import pyarrow as pa
import pyarrow.parquet as pq
from pages import addresses_in, pages

url, addresses, blocks, folder = sys.argv[1:]

AMOUNT = pa.decimal128(38, 18)


def is_true(cell):
    return cell in (True, "true")


COLUMNS = {
    "tx_hash": ("txId", pa.string(), str),
    "block_hash": ("blockHash", pa.string(), str),
    "block_number": ("height", pa.int64(), int),
    "block_time": ("transactionTime", pa.timestamp("ms", "UTC"), int),
    "from_address": ("from", pa.string(), str),
    "to_address": ("to", pa.string(), str),
    "from_is_contract": ("isFromContract", pa.bool_(), is_true),
    "to_is_contract": ("isToContract", pa.bool_(), is_true),
    "amount": ("amount", AMOUNT, Decimal),
    "symbol": ("symbol", pa.string(), str),
    "tx_fee": ("txFee", AMOUNT, Decimal),
    "gas_limit": ("gasLimit", pa.int64(), int),
    "gas_used": ("gasUsed", pa.int64(), int),
    "gas_price": ("gasPrice", pa.decimal128(38, 0), Decimal),
    "nonce": ("nonce", pa.int64(), int),
    "method_id": ("methodId", pa.string(), str),
    "tx_type": ("transactionType", pa.string(), str),
}


def column(records, field, kind, value):
    cells = (record.get(field) for record in records)
    return pa.array([None if cell in (None, "") else value(cell) for cell in cells], kind)


batches = []
for records in pages(url, addresses_in(addresses), int(blocks)):
    arrays = [column(records, *of) for of in COLUMNS.values()]
    batches.append(pa.record_batch(arrays, names=list(COLUMNS)))
table = pa.Table.from_batches(batches).sort_by(
    [("block_number", "ascending"), ("tx_hash", "ascending")]
)
pq.write_table(table, f"{folder}/transactions.parquet", compression="zstd")
print(table.num_rows)
