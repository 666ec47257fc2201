import type { Cell } from '../catalogue/column-kind.ts';
import type { Column } from '../catalogue/entry.ts';
import { column } from '../catalogue/entry.ts';
import type { TokenName } from '../pipeline/csv/name-files.ts';
import type { Snapshot } from './delta/fold.ts';
import type { TableShape } from './delta/prepared-commit.ts';
import { type StorageSettings, StoredTable } from './delta/stored-table.ts';
import { damagedFiles } from './storage/damage.ts';
import { readRows } from './storage/read-rows.ts';

/** Names from the CSV files of pipelines: one Delta table for each kind, shared by all chains. */
export interface Names {
  /** Labels by the lower-case address. */
  readonly labels?: ReadonlyMap<string, string>;
  /** Tokens by the lower-case address of their contract. */
  readonly tokens?: ReadonlyMap<string, TokenName>;
  /** Names of methods by their lower-case identifier. */
  readonly methods?: ReadonlyMap<string, string>;
}

type NameKind = keyof Names;

/** The folder of these tables below `curated`, beside those of the chains. */
export const NAMES = '_names';

/** Their shapes. The first column is the key of a row. */
export const NAME_SHAPES: readonly (TableShape & { readonly name: NameKind })[] = [
  shape('labels', 'One row per address or token with a label in the address files of the runs', [
    column('address', 'VARCHAR', 'Address or token contract, in lower case'),
    column('label', 'VARCHAR', 'Its label in the file'),
  ]),
  shape('tokens', 'One row per token in the CSV files that pipelines name as names.tokens', [
    column('token_address', 'VARCHAR', 'Contract, in lower case'),
    column('symbol', 'VARCHAR', 'Its symbol in the file'),
    column('decimals', 'BIGINT', 'Its decimal places'),
    column(
      'amounts',
      'VARCHAR',
      'whole: the service states amounts in whole tokens; raw: in the smallest unit',
    ),
  ]),
  shape('methods', 'One row per method in the CSV files that pipelines name as names.methods', [
    column('method_id', 'VARCHAR', 'First four bytes of a call, as 0x...'),
    column('name', 'VARCHAR', 'Its name in the file'),
  ]),
];

function shape(name: NameKind, summary: string, columns: readonly Column[]) {
  const sortedBy = columns.slice(0, 1).map((key) => key.name);
  return { name, summary, columns, heightColumn: '', sortedBy, isBySource: false };
}

/** One kind of names. */
export class NameTable {
  readonly stored: StoredTable;

  constructor(settings: StorageSettings, tableShape: TableShape) {
    this.stored = new StoredTable(settings, tableShape);
  }

  async rows(): Promise<readonly (readonly Cell[])[]> {
    return this.#rowsOf(await this.stored.snapshot());
  }

  /** Whether all data files are there, with the sizes in the log. */
  async isWhole(): Promise<boolean> {
    const { files } = await this.stored.snapshot();
    return (await damagedFiles(this.stored.folder, files.values(), 'sizes')).length === 0;
  }

  /**
   * Merges rows into the table by their keys: a new row replaces the old one, and one without any
   * name removes it. Publishes nothing if no row changes. A damaged table is written again from
   * these rows alone. Throws Fault('lake') for a full or failing disk.
   */
  async keep(updates: readonly (readonly Cell[])[]): Promise<void> {
    if (updates.length === 0) return;
    await this.stored.publish('WINDROW NAMES', async (snapshot) => {
      const isWhole = await this.isWhole();
      const tableRows = isWhole ? await this.#rowsOf(snapshot) : [];
      const merged = new Map([...tableRows, ...updates].map((row) => [row[0], row]));
      const rows = [...merged.values()].filter(([, name, decimals = null]) => {
        return name !== null || decimals !== null;
      });
      if (isWhole && textOf(tableRows) === textOf(rows)) return undefined;
      return this.stored.rewritten(snapshot, rows);
    });
  }

  #rowsOf(snapshot: Snapshot): Promise<Cell[][]> {
    return readRows(this.stored.paths(snapshot), this.stored.shape.columns);
  }
}

/** The rows in the order of their keys, as one text. */
function textOf(rows: readonly (readonly Cell[])[]): string {
  const texts = rows.map((row) => JSON.stringify(row.map((cell) => cell?.toString() ?? null)));
  return texts.sort().join();
}

/** Merges names into the stored ones; an empty one removes its entry. */
export async function keepNames(
  { names }: { readonly names: ReadonlyMap<string, NameTable> },
  { labels = new Map(), tokens = new Map(), methods = new Map() }: Names,
): Promise<void> {
  const textRows = (texts: ReadonlyMap<string, string>) =>
    [...texts].map(([key, name]) => [key, name || null]);
  await names.get('labels')?.keep(textRows(labels));
  await names.get('methods')?.keep(textRows(methods));
  await names.get('tokens')?.keep(
    [...tokens].map(([address, { symbol, decimals, amounts }]) => {
      return [address, symbol || null, decimals === null ? null : BigInt(decimals), amounts];
    }),
  );
}
