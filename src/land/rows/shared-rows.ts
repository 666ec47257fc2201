import { listValue } from '@duckdb/node-api';
import { type List, type ListId, listAt, listKey } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Snapshot } from '../delta/fold.ts';
import type { Claim, Landable } from '../rule/claim.ts';
import type { SharedRows } from '../rule/shared-records.ts';
import type { ParquetWriter } from '../storage/parquet.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { canNameSeveralKeys, namedKeysSql } from './named-keys.ts';
import { mayHoldRows } from './removal.ts';

/** Rows by key. */
type RowsByKey = ReadonlyMap<string, readonly Landable[]>;

/** The rows of one list, by the path of their file. */
interface ListRows {
  readonly followed: Set<string>;
  readonly byFile: Map<string, RowsByKey>;
}

/**
 * The rows of a table that name several followed keys. A file is read when a complete walk of other
 * keys overlaps it, and its rows are kept while the next commits overlap it as well.
 */
export class SharedRowIndex {
  readonly #writer: ParquetWriter;
  readonly #pathOf: (file: DataFile) => string;
  readonly #lists = new Map<string, ListRows>();

  constructor(writer: ParquetWriter, pathOf: (file: DataFile) => string) {
    this.#writer = writer;
    this.#pathOf = pathOf;
  }

  /** The rows that complete claims are compared with. Reads the files that may have some. */
  async read(snapshot: Snapshot, claims: readonly Claim[]): Promise<SharedRows> {
    const complete = claims.filter(({ status }) => status === 'complete');
    for (const name of new Set(complete.map(listKey))) {
      await this.#readList(
        snapshot,
        complete.filter((claim) => listKey(claim) === name),
      );
    }
    return (claim) => this.#of(snapshot, claim);
  }

  /** Adds followed keys. If there are new ones, files are read again. */
  follow(list: ListId, keys: Iterable<string>): ListRows {
    const name = listKey(list);
    const rows = this.#lists.get(name) ?? { followed: new Set(), byFile: new Map() };
    this.#lists.set(name, rows);
    const before = rows.followed.size;
    for (const key of keys) rows.followed.add(key);
    if (rows.followed.size > before) rows.byFile.clear();
    return rows;
  }

  async #readList({ files, coverage }: Snapshot, claims: readonly Claim[]): Promise<void> {
    const [first] = claims;
    if (first === undefined || !canNameSeveralKeys(listAt(first))) return;
    const keys = claims.flatMap((claim) => claim.keys);
    const { followed, byFile } = this.follow(first, [...coverage.keysOf(first).keys(), ...keys]);
    const compared = claims.filter((claim) => claim.keys.length < followed.size);
    const isCompared = (file: DataFile | undefined): boolean =>
      file !== undefined && compared.some((claim) => mayHoldRows(file, claim));
    for (const path of [...byFile.keys()]) {
      if (!isCompared(files.get(path))) byFile.delete(path);
    }
    for (const file of files.values()) {
      if (byFile.has(file.path) || !isCompared(file)) continue;
      byFile.set(file.path, await this.#rowsIn(file, listAt(first), followed));
    }
  }

  #of({ files }: Snapshot, claim: Claim): Landable[] {
    const found = new Set<Landable>();
    for (const [path, byKey] of this.#lists.get(listKey(claim))?.byFile ?? []) {
      const file = files.get(path);
      if (file === undefined || !mayHoldRows(file, claim)) continue;
      for (const key of claim.keys) {
        for (const row of byKey.get(key) ?? []) {
          if (contains(claim.interval, row.height)) found.add(row);
        }
      }
    }
    return [...found];
  }

  async #rowsIn(
    file: DataFile,
    { endpoint, variant, dataset, keyColumns = [] }: List,
    followed: ReadonlySet<string>,
  ): Promise<RowsByKey> {
    // One text per row instead of a list: converting lists takes longer than the query.
    const rows = await this.#writer.read(
      `SELECT any_value(height), string_agg(key, ' ') FROM (
         SELECT file_row_number AS id, ${identifier(dataset.heightColumn)} AS height,
           unnest(${namedKeysSql(dataset.name, keyColumns)}) AS key
         FROM read_parquet(${literal(this.#pathOf(file))}, file_row_number = true)
         WHERE _endpoint = ${literal(endpoint)} AND _variant = ${literal(variant)}
       ) SEMI JOIN (SELECT unnest($followed) AS key) AS followed USING (key)
       GROUP BY id HAVING min(key) <> max(key)`,
      { followed: listValue([...followed]) },
    );
    const byKey = new Map<string, Landable[]>();
    for (const [height, keys] of rows) {
      const row = { height: Number(height), touches: [...new Set(String(keys).split(' '))] };
      for (const key of row.touches) {
        const known = byKey.get(key);
        if (known === undefined) byKey.set(key, [row]);
        else known.push(row);
      }
    }
    return byKey;
  }
}
