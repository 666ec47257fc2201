import { decimalText } from '../../catalogue/decimal.ts';
import { endpointAt } from '../../catalogue/index.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import { ListedRecord } from '../../catalogue/record-text.ts';
import { listOf } from '../../coverage/list.ts';
import { transferEvents } from '../../fetch/witness/events.ts';
import { blockHead } from '../../fetch/witness/question.ts';
import type { Witnesses } from '../../fetch/witness/witnesses.ts';
import type { Lake } from '../../land/lake.ts';
import { decode } from '../../land/rows/decode.ts';
import { identifier, literal } from '../../land/storage/sql-text.ts';
import type { WarehouseConnection } from '../../load/query/open-warehouse.ts';
import { rowsAs } from '../../load/query/query.ts';
import type { FindingRow } from './rows.ts';

/** The list of a node's rows, by the leg of a movement. Both have the columns of their fields. */
const LISTS: Readonly<Record<string, string>> = {
  token: 'witness/token-transfers',
  internal: 'witness/internal-transactions',
};
const listOfLeg = (leg: string) => listOf(endpointAt(LISTS[leg] ?? ''));
const REASON = 'the lists of the service lack these movements, which a node has';

interface Surroundings {
  readonly lake: Pick<Lake, 'table'>;
  readonly connection: WarehouseConnection;
  readonly witnesses: Witnesses;
  readonly head: number;
  readonly readAtMs: number;
}

/**
 * Lands movements that the lists of the service lack, as rows of lists of the node. The keys of
 * these lists are hashes, so a reorganisation removes their rows. Their coverage is `truncated`,
 * because they hold only a part: a row is shown where no list of the service has the movement.
 * Returns the number of new rows.
 */
export async function landNodeRows(
  findings: readonly FindingRow[],
  around: Surroundings,
): Promise<number> {
  const { lake, head, readAtMs } = around;
  const missing = findings.filter(({ what, leg }) => {
    return what === 'missing' && LISTS[leg] !== undefined;
  });
  const records = new Map<string, Map<string, WireRecord>>();
  const copies = new Map<string, number>();
  /** Number of new records, by block. */
  const added = new Map<string, number>();
  for (const finding of missing) {
    const record = await recordOf(finding, around);
    if (record === undefined) continue;
    // Both parties of a movement lack it; a party may lack several copies.
    const copy = JSON.stringify([finding.address, record]);
    const nth = (copies.get(copy) ?? 0) + 1;
    copies.set(copy, nth);
    const block = JSON.stringify([finding.leg, finding.block_number]);
    const landed = records.get(block) ?? (await earlier(finding, around));
    records.set(block, landed);
    const key = copyKey(finding.leg, record, nth);
    if (landed.has(key)) continue;
    landed.set(key, record);
    added.set(block, (added.get(block) ?? 0) + 1);
  }
  let rows = 0;
  for (const [block, count] of added) {
    const [leg, height] = JSON.parse(block) as [string, number];
    const list = listOfLeg(leg);
    const all = [...(records.get(block)?.values() ?? [])];
    const keys = [...new Set(all.map(({ txId }) => String(txId)))];
    const table = lake.table(list.dataset.name);
    const claim = {
      ...{ list, keys, interval: { from: height, to: height }, head, readAtMs },
      ...{ status: 'truncated' as const, reason: REASON },
      generation: (await table.snapshot()).reorganisations.length,
    };
    const listed = all.map((record) => ListedRecord.fromWire(list.entry, record));
    const { rows: landed } = decode(list, listed, undefined, keys);
    await table.commit([{ claim, records: landed, slice: 'witness', requests: 0 }]);
    rows += count;
  }
  return rows;
}

/** The record of a movement; undefined if the nodes no longer state it. */
async function recordOf(
  finding: FindingRow,
  { witnesses }: Surroundings,
): Promise<WireRecord | undefined> {
  const { block_number: height, tx_hash, leg, from_address, to_address, amount } = finding;
  const [reading] = await witnesses.ask([blockHead(height)]);
  const block = reading !== undefined && 'value' in reading ? reading.value : null;
  // The block may have been replaced since the finding.
  if (tx_hash === null || block?.hashes.includes(tx_hash) !== true) return undefined;
  const record = {
    txId: tx_hash,
    blockHash: block.hash,
    height: String(height),
    transactionTime: String(block.timeMs),
    from: from_address ?? '',
    to: to_address ?? '',
    amount: decimalText({ digits: BigInt(amount ?? 0), scale: finding.places ?? 0 }),
  };
  if (leg === 'internal') return { ...record, operation: 'call', state: 'success' };
  const { asset_kind: kind, token_address: token, token_id: id } = finding;
  const isMulti = kind === 'token_1155';
  const transfers = { token: token ?? '', from: height, to: height, isMulti };
  const [events] = await witnesses.ask([transferEvents(transfers)]);
  if (events === undefined || 'reason' in events) return undefined;
  const event = events.value.find(({ logIndex, from, tokenId, ...moved }) => {
    const isOne = logIndex === finding.log_index && String(moved.amount) === amount;
    return isOne && from === from_address && (id === null || tokenId === id);
  });
  if (event === undefined) return undefined;
  const tokenId = event.tokenId ?? '';
  return { ...record, tokenContractAddress: token ?? '', protocolType: kind, tokenId };
}

/** The rows of the node in a block that have landed before, as records. */
async function earlier(
  { leg, block_number: height }: FindingRow,
  { connection }: Surroundings,
): Promise<Map<string, WireRecord>> {
  const { path, dataset, fields } = listOfLeg(leg).entry;
  const texts = fields.map(({ column, wire, kind }) => {
    const suffix = kind.columns[0]?.suffix ?? '';
    const value = column === 'block_time' ? `epoch_ms(${column})` : column + suffix;
    return `coalesce(CAST(${value} AS VARCHAR), '') AS ${identifier(wire)}`;
  });
  const rows = await rowsAs<WireRecord>(
    connection,
    `SELECT ${texts.join(', ')} FROM lake.${dataset}
     WHERE _endpoint = ${literal(path)} AND block_number = ${height}`,
  );
  const records = new Map<string, WireRecord>();
  for (const record of rows) {
    let nth = 1;
    while (records.has(copyKey(leg, record, nth))) nth += 1;
    records.set(copyKey(leg, record, nth), record);
  }
  return records;
}

/** The key of the nth of several equal records. */
function copyKey(leg: string, record: WireRecord, nth: number): string {
  const { fields } = listOfLeg(leg).entry;
  return JSON.stringify([...fields.map(({ wire }) => record[wire] ?? ''), nth]);
}
