import { listValue } from '@duckdb/node-api';
import { isSameList, type List, type ListId, listKey } from '../../coverage/list.ts';
import { contains } from '../../coverage/ranges.ts';
import type { DataFile } from '../delta/actions.ts';
import type { Snapshot } from '../delta/fold.ts';
import type { Claim, Landable, Walk } from '../rule/claim.ts';
import type { SharedRows } from '../rule/shared-records.ts';
import { localDisk } from '../storage/disk.ts';
import type { ParquetWriter } from '../storage/parquet.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { canNameSeveralKeys, namedKeysSql } from './named-keys.ts';
import { mayHoldRows } from './removal.ts';

/** Rows by key. */
type RowsByKey = ReadonlyMap<string, readonly Landable[]>;

/** The rows of one list, by the path of their file. */
interface ListRows {
  /** Each key under itself, so that one text serves all rows (see `landed`). */
  readonly followed: Map<string, string>;
  readonly byFile: Map<string, RowsByKey>;
}

/**
 * The rows of a table that name several followed keys. A file is read when a complete walk of other
 * keys overlaps it, and its rows are kept while the next commits overlap it as well. Files of this
 * process need no reading: their rows are known from their commits.
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
    for (const { byFile } of this.#lists.values()) {
      for (const path of [...byFile.keys()]) if (!snapshot.files.has(path)) byFile.delete(path);
    }
    const complete = claims.filter(({ status }) => status === 'complete');
    for (const name of new Set(complete.map(({ list }) => listKey(list)))) {
      await this.#readList(
        snapshot,
        complete.filter(({ list }) => listKey(list) === name),
      );
    }
    return (claim) => this.#rowsOf(snapshot, claim);
  }

  /** Adds followed keys. If there are new ones, files are read again. */
  follow(list: ListId, keys: Iterable<string>): ListRows {
    const name = listKey(list);
    const rows = this.#lists.get(name) ?? { followed: new Map(), byFile: new Map() };
    this.#lists.set(name, rows);
    const before = rows.followed.size;
    for (const key of keys) if (!rows.followed.has(key)) rows.followed.set(key, key);
    if (rows.followed.size > before) rows.byFile.clear();
    return rows;
  }

  /**
   * Takes in the rows of files that a commit has written from these records. Files that hold other
   * rows, too, are left out.
   */
  landed(files: readonly DataFile[], inserts: readonly Walk<Landable>[]): void {
    for (const file of files) {
      const { source, heights, rows } = file;
      const list = source && this.#lists.get(listKey(source));
      if (list === undefined || source === undefined || heights === undefined) continue;
      const contents = inserts
        .filter(({ claim }) => isSameList(claim.list, source))
        .flatMap(({ records }) => records.filter(({ height }) => contains(heights, height)));
      if (contents.length === rows) list.byFile.set(file.path, sharedOf(contents, list.followed));
    }
  }

  async #readList({ files, coverage }: Snapshot, claims: readonly Claim[]): Promise<void> {
    const list = claims[0]?.list;
    if (list === undefined || !canNameSeveralKeys(list)) return;
    const keys = claims.flatMap((claim) => claim.keys);
    const { followed, byFile } = this.follow(list, [...coverage.keysOf(list).keys(), ...keys]);
    const compared = claims.filter((claim) => claim.keys.length < followed.size);
    const isCompared = (file: DataFile | undefined): boolean =>
      file !== undefined && compared.some((claim) => mayHoldRows(file, claim));
    for (const path of [...byFile.keys()]) {
      if (!isCompared(files.get(path))) byFile.delete(path);
    }
    for (const file of files.values()) {
      if (byFile.has(file.path) || !isCompared(file)) continue;
      byFile.set(file.path, await this.#rowsIn(file, list, followed));
    }
  }

  #rowsOf({ files }: Snapshot, claim: Claim): Landable[] {
    const rows = new Set<Landable>();
    for (const [path, byKey] of this.#lists.get(listKey(claim.list))?.byFile ?? []) {
      const file = files.get(path);
      if (file === undefined || !mayHoldRows(file, claim)) continue;
      for (const key of claim.keys) {
        for (const row of byKey.get(key) ?? []) {
          if (contains(claim.interval, row.height)) rows.add(row);
        }
      }
    }
    return [...rows];
  }

  async #rowsIn(
    file: DataFile,
    { endpoint, variant, dataset, keyColumns = [] }: List,
    followed: ReadonlyMap<string, string>,
  ): Promise<RowsByKey> {
    await localDisk.fetch([this.#pathOf(file)]);
    // One text per row instead of a list: converting lists takes longer than the query.
    const rows = await this.#writer.read(
      `SELECT any_value(height), string_agg(key, ' ') FROM (
         SELECT file_row_number AS id, ${identifier(dataset.heightColumn)} AS height,
           unnest(${namedKeysSql(dataset.name, keyColumns)}) AS key
         FROM read_parquet(${literal(this.#pathOf(file))}, file_row_number = true)
         WHERE _endpoint = ${literal(endpoint)} AND _variant = ${literal(variant)}
       ) SEMI JOIN (SELECT unnest($followed) AS key) AS followed USING (key)
       GROUP BY id HAVING min(key) <> max(key)`,
      { followed: listValue([...followed.keys()]) },
    );
    return byKey(
      rows.map(([height, keys]) => {
        return { height: Number(height), touches: [...new Set(String(keys).split(' '))] };
      }),
    );
  }
}

/**
 * The records that touch several followed keys. The texts of their keys are parts of the texts of
 * whole pages, which would stay in memory with them: the followed keys take their place.
 */
function sharedOf(records: readonly Landable[], followed: ReadonlyMap<string, string>): RowsByKey {
  const rows: Landable[] = [];
  for (const record of records) {
    let named = 0;
    for (const key of record.touches) if (followed.has(key)) named += 1;
    if (named < 2) continue;
    const touches = record.touches.filter((key) => followed.has(key));
    rows.push({ height: record.height, touches: touches.map((key) => followed.get(key) ?? key) });
  }
  return byKey(rows);
}

function byKey(rows: readonly Landable[]): RowsByKey {
  const groups = new Map<string, Landable[]>();
  for (const row of rows) {
    for (const key of row.touches) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [row]);
      else group.push(row);
    }
  }
  return groups;
}
