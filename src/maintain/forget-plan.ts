import { type DuckDBConnection, listValue } from '@duckdb/node-api';
import { endpoints, paramOf } from '../catalogue/index.ts';
import { isAskedByHash, type List } from '../coverage/list.ts';
import type { Snapshot } from '../land/delta/fold.ts';
import { readLabels } from '../land/labels.ts';
import type { Lake } from '../land/lake.ts';
import type { QuarantineRecord } from '../land/quarantine/quarantine-record.ts';
import { tableColumns } from '../land/rows/columns.ts';
import { forgottenIn } from '../land/rows/forgotten-in.ts';
import { removalSql } from '../land/rows/removal.ts';
import type { DeltaTable } from '../land/rows/table.ts';
import { type ForgottenKeys, forgottenRows } from '../land/rule/forgotten-keys.ts';
import type { Disk } from '../land/storage/disk.ts';
import { countRows, scanSql } from '../land/storage/scan.ts';
import { withScratch } from '../land/storage/scratch.ts';
import { identifier, literal } from '../land/storage/sql-text.ts';

/** The keys of one list that a table forgets, and its rows that go with them. */
export interface ForgottenList extends ForgottenKeys {
  readonly dataset: string;
  readonly rows: number;
}

/** What a lake forgets with an address. */
export interface ForgetPlan {
  readonly address: string;
  /** Hashes that only rows of the address name: their look-ups are forgotten, too. */
  readonly hashes: ReadonlySet<string>;
  /** Lists of the address. */
  readonly lists: readonly ForgottenList[];
  /** Look-ups of the hashes. */
  readonly lookUps: readonly ForgottenList[];
  /** Pending records, by dataset. */
  readonly pending: ReadonlyMap<string, number>;
  /** Records in quarantine that no other requested key may explain, by their ids. */
  readonly quarantined: readonly string[];
  readonly label: string | undefined;
}

/** A table with the rows that it forgets, as an SQL condition. */
interface Losing {
  readonly table: DeltaTable;
  readonly rows: string;
  readonly gone: string;
}

/** Plans what the lake forgets with an address, in lower case, and changes nothing. */
export async function planForget(lake: Lake, disk: Disk, address: string): Promise<ForgetPlan> {
  const tables = await lake.tables();
  return withScratch(async (connection) => {
    const lists: ForgottenList[] = [];
    const losing: Losing[] = [];
    for (const table of tables) {
      const of = { table, snapshot: await table.snapshot(), connection };
      const found = await forgottenLists(of, keysOfAddress(address));
      lists.push(...found);
      const rows = await scanSql(
        connection,
        table.paths(of.snapshot),
        tableColumns(table.dataset.name),
      );
      const gone = found.map((each) => `(${conditionOf(table, each)})`).join(' OR ');
      losing.push({ table, rows, gone: gone === '' ? 'false' : gone });
    }
    const hashes = await unexplainedHashes(connection, losing);
    const lookUps: ForgottenList[] = [];
    for (const table of tables) {
      const of = { table, snapshot: await table.snapshot(), connection };
      lookUps.push(...(await forgottenLists(of, keysOfLookUps(hashes))));
    }
    const isGone = (key: string): boolean => key === address || hashes.has(key);
    const pending = new Map<string, number>();
    for (const [dataset, table] of lake.pending) {
      const count = (await table.keys()).filter(isGone).length;
      if (count > 0) pending.set(dataset, count);
    }
    const kept = await Promise.all(lake.quarantines().map((quarantine) => quarantine.records()));
    const quarantined = kept.flat().filter((record) => isOnlyOf(record, isGone));
    const label = (await readLabels(lake.layout, disk)).get(address);
    const ids = quarantined.map(({ id }) => id);
    return { address, hashes, lists, lookUps, pending, quarantined: ids, label };
  });
}

/** The keys of the address's own lists. */
export function keysOfAddress(address: string): (list: List) => readonly string[] {
  return (list) => (isAskedByHash(list) ? [] : [address]);
}

/** The keys of look-ups of these hashes. */
export function keysOfLookUps(hashes: ReadonlySet<string>): (list: List) => readonly string[] {
  const keys = [...hashes];
  return (list) => (isAskedByHash(list) ? keys : []);
}

async function forgottenLists(
  of: { table: DeltaTable; snapshot: Snapshot; connection: DuckDBConnection },
  keysOf: (list: List) => readonly string[],
): Promise<ForgottenList[]> {
  const { table, snapshot, connection } = of;
  const found = await forgottenIn(snapshot, (file) => table.pathOf(file), keysOf);
  const dataset = table.dataset.name;
  const rows = await scanSql(connection, table.paths(snapshot), tableColumns(dataset));
  const lists: ForgottenList[] = [];
  for (const each of found) {
    const gone = `(SELECT 1 FROM (${rows}) WHERE ${conditionOf(table, each)})`;
    lists.push({ ...each, dataset, rows: await countRows(connection, gone) });
  }
  return lists;
}

function conditionOf({ dataset }: DeltaTable, forgotten: ForgottenKeys): string {
  return removalSql(forgottenRows(forgotten), dataset.heightColumn);
}

/**
 * The hashes in rows that are forgotten and in no other row, except those of look-ups: only because
 * of the forgotten rows they were looked up.
 */
async function unexplainedHashes(
  connection: DuckDBConnection,
  tables: readonly Losing[],
): Promise<ReadonlySet<string>> {
  const hashes = new Set<string>();
  for (const column of hashColumns()) {
    const own = tables.filter(({ table }) => {
      return tableColumns(table.dataset.name).some(({ name }) => name === column);
    });
    const name = identifier(column);
    const lost = new Set<string>();
    for (const { rows, gone } of own) {
      const found = await connection.runAndReadAll(
        `SELECT DISTINCT ${name} FROM (${rows}) WHERE ${name} IS NOT NULL AND (${gone})`,
      );
      for (const [hash] of found.getRows()) lost.add(String(hash));
    }
    for (const { rows, gone } of own) {
      if (lost.size === 0) break;
      const found = await connection.runAndReadAll(
        `SELECT DISTINCT ${name} FROM (${rows})
         SEMI JOIN (SELECT unnest($lost) AS ${name}) AS lost USING (${name})
         WHERE _endpoint NOT IN (${byHash().map(literal).join(', ')}) AND (${gone}) IS NOT TRUE`,
        { lost: listValue([...lost]) },
      );
      for (const [hash] of found.getRows()) lost.delete(String(hash));
    }
    for (const hash of lost) hashes.add(hash);
  }
  return hashes;
}

/** The endpoints of look-ups by hash. */
function byHash(): string[] {
  const paths = endpoints.filter(({ list }) => list === 'by-key').map(({ path }) => path);
  return paths.filter((endpoint) => isAskedByHash({ endpoint }));
}

/** The columns in which rows name the hashes that look-ups take as keys. */
function hashColumns(): Set<string> {
  const asked = endpoints.filter(({ path }) => byHash().includes(path));
  return new Set(asked.flatMap((entry) => paramOf(entry, 'keys')?.columns ?? []));
}

/** Whether a broken record can only be one of forgotten keys, by the text that it was read as. */
function isOnlyOf(
  { claim: { keys }, raw }: QuarantineRecord,
  isGone: (key: string) => boolean,
): boolean {
  const text = raw.toLowerCase();
  const named = keys.filter((key) => text.includes(key));
  return (named.length === 0 ? keys : named).every(isGone);
}
