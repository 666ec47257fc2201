import type { DuckDBConnection } from '@duckdb/node-api';
import { nodeLists } from '../../catalogue/index.ts';
import { findList, isAskedByHash, type List, type ListId } from '../../coverage/list.ts';
import type { Lake } from '../../land/lake.ts';
import type { QuarantineRecord } from '../../land/quarantine/quarantine-record.ts';
import { tableColumns } from '../../land/rows/columns.ts';
import { forgottenIn } from '../../land/rows/forgotten-in.ts';
import { removalSql } from '../../land/rows/removal.ts';
import type { DeltaTable } from '../../land/rows/table.ts';
import { type ForgottenKeys, forgottenRows } from '../../land/rule/forgotten-keys.ts';
import { countRows, scanSql } from '../../land/storage/scan.ts';
import { withScratch } from '../../land/storage/scratch.ts';
import { literal } from '../../land/storage/sql-text.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { type LosingTable, lostHashes } from '../found/lost-hashes.ts';
import { SubmissionTable } from '../submit/submission-table.ts';

/** The keys of one list that a table forgets, and its rows that go with them. */
export interface ForgottenList extends ForgottenKeys {
  readonly dataset: string;
  readonly rows: number;
}

/** Look-ups of one list that stay, although forgotten rows name their hashes. */
export interface KeptLookUps extends ListId {
  readonly dataset: string;
  /** Number of hashes. */
  readonly keys: number;
}

/** What a lake forgets with an address. */
export interface ForgetPlan {
  readonly address: string;
  /** Hashes that no remaining row explains, by the endpoint whose look-ups of them go, too. */
  readonly hashes: ReadonlyMap<string, ReadonlySet<string>>;
  /** Lists of the address. */
  readonly lists: readonly ForgottenList[];
  /** Look-ups of the hashes. */
  readonly lookUps: readonly ForgottenList[];
  /** Look-ups that other rows explain. */
  readonly kept: readonly KeptLookUps[];
  /** Pending records, by dataset. */
  readonly pending: ReadonlyMap<string, number>;
  /** Records in quarantine that no other requested key may explain, by their ids. */
  readonly quarantined: readonly string[];
  readonly label: string | undefined;
  /** Ids of the submissions of the source of this contract. */
  readonly submissions: readonly string[];
}

/**
 * Plans the removal of all that only this address explains, without changing the lake. The address
 * must be in lower case. A look-up that one of the pipelines requests stays if the pipeline takes
 * its hash from a remaining row. A look-up that no pipeline requests stays if any remaining row
 * names its hash.
 */
export async function planForget(
  lake: Lake,
  address: string,
  pipelines: readonly Pipeline[] = [],
): Promise<ForgetPlan> {
  const tables = await lake.tables();
  return withScratch(async (connection) => {
    const lists: ForgottenList[] = [];
    const losing: LosingTable[] = [];
    for (const table of tables) {
      const snapshot = await table.snapshot();
      const columns = tableColumns(table.dataset.name);
      const rows = await scanSql(connection, table.paths(snapshot), columns);
      const tableLists = await forgottenLists({ table, rows }, keysOfAddress(address), connection);
      lists.push(...tableLists);
      const conditions = tableLists.map((list) => `(${conditionOf(table, list)})`);
      const gone = [...conditions, ...nodeRowsSql(table, address), 'false'].join(' OR ');
      losing.push({ table, rows, gone });
    }
    const named = await lostHashes(connection, losing, pipelines);
    const hashes = new Map([...named].map(([endpoint, { gone }]) => [endpoint, gone]));
    const lookUps: ForgottenList[] = [];
    const kept: KeptLookUps[] = [];
    for (const losingTable of losing) {
      lookUps.push(...(await forgottenLists(losingTable, keysOfLookUps(hashes), connection)));
      const { table } = losingTable;
      const { coverage } = await table.snapshot();
      for (const id of coverage.lists()) {
        const list = findList(id);
        if (list === undefined || !isAskedByHash(list)) continue;
        const open = coverage.keysOf(id);
        const hashes = [...(named.get(list.endpoint)?.kept ?? [])];
        const landed = new Set((await table.landed(list, hashes)).map(({ hash }) => hash));
        const keys = hashes.filter((key) => landed.has(key) || open.has(key)).length;
        const { endpoint, variant, dataset } = list;
        if (keys > 0) kept.push({ dataset: dataset.name, endpoint, variant, keys });
      }
    }
    const pending = new Map<string, number>();
    for (const [dataset, table] of lake.pending) {
      const rows = (await table.rows()).filter(({ endpoint, key }) => {
        return isForgottenRequest({ address, hashes }, endpoint, key);
      });
      if (rows.length > 0) pending.set(dataset, rows.length);
    }
    const broken = await Promise.all(lake.quarantines().map((quarantine) => quarantine.records()));
    const quarantined = broken.flat().filter((record) => {
      return isOnlyOf(record, (key) =>
        isForgottenRequest({ address, hashes }, record.claim.endpoint, key),
      );
    });
    const labels = (await lake.names.get('labels')?.rows()) ?? [];
    const labelled = labels.find(([key]) => key === address);
    const { rows: submitted } = await SubmissionTable.open(lake);
    const plan = { address, hashes, lists, lookUps, kept, pending };
    return {
      ...plan,
      quarantined: quarantined.map(({ id }) => id),
      label: labelled && String(labelled[1]),
      submissions: submitted.filter((row) => row.address === address).map(({ id }) => id),
    };
  });
}

/** The keys of the address's own lists. */
export function keysOfAddress(address: string): (list: List) => readonly string[] {
  return (list) => (isAskedByHash(list) ? [] : [address]);
}

/** The keys of look-ups of these hashes. */
export function keysOfLookUps(hashes: ForgetPlan['hashes']): (list: List) => readonly string[] {
  return ({ endpoint }) => [...(hashes.get(endpoint) ?? [])];
}

/** Whether requests of the endpoint with this key are forgotten. */
export function isForgottenRequest(
  { address, hashes }: Pick<ForgetPlan, 'address' | 'hashes'>,
  endpoint: string,
  key: string,
): boolean {
  return key === address || hashes.get(endpoint)?.has(key) === true;
}

async function forgottenLists(
  { table, rows }: Pick<LosingTable, 'table' | 'rows'>,
  keysOf: (list: List) => readonly string[],
  connection: DuckDBConnection,
): Promise<ForgottenList[]> {
  const dataset = table.dataset.name;
  const lists: ForgottenList[] = [];
  for (const list of await forgottenIn(await table.snapshot(), table, keysOf)) {
    const gone = `(SELECT 1 FROM (${rows}) WHERE ${conditionOf(table, list)})`;
    lists.push({ ...list, dataset, rows: await countRows(connection, gone) });
  }
  return lists;
}

/** Conditions for the rows of a node that name the address: they belong to its ledger alone. */
function nodeRowsSql({ dataset }: DeltaTable, address: string): string[] {
  const paths = nodeLists.filter((list) => list.dataset === dataset.name).map(({ path }) => path);
  const isOfAddress = `${literal(address)} IN (from_address, to_address)`;
  return paths.map((path) => `(_endpoint = ${literal(path)} AND ${isOfAddress})`);
}

function conditionOf({ dataset }: DeltaTable, forgotten: ForgottenKeys): string {
  return removalSql(forgottenRows(forgotten), dataset.heightColumn);
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
