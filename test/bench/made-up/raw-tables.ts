import { createHash, randomUUID } from 'node:crypto';
import { mkdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import { columnsOf } from '../../../src/catalogue/entry.ts';
import { filledBy } from '../../../src/catalogue/index.ts';
import type { CoverageEntry } from '../../../src/coverage/coverage.ts';
import { filtersIn, type List, type ListId, listAt } from '../../../src/coverage/list.ts';
import type { DataFile } from '../../../src/land/delta/actions.ts';
import { ledger } from '../../../src/land/delta/ledger.ts';
import { tableColumns } from '../../../src/land/rows/columns.ts';
import { layout } from '../../../src/land/storage/layout.ts';
import { sha256Of } from '../../../src/land/storage/parquet.ts';
import { identifier, literal } from '../../../src/land/storage/sql-text.ts';
import { CHAINS } from '../../fixtures/chains.ts';
import { LogWriter } from './log-writer.ts';
import { type Heights, KEYS_PER_REQUEST, windowsOf } from './sizes.ts';

const RUN = '20260101T000000Z-bench0';
/** 2026-01-01: the first reading. */
const FIRST_READING_MS = 1_767_225_600_000;

/** Records of a list that one commit lands. */
export interface Landing extends ListId {
  /** Sorted Parquet file with all record columns, and with rows of other lists. */
  readonly source: string;
  /** Selects the rows of the list. */
  readonly where?: string;
  /** Coverage of the commit: all keys on all windows of the heights. */
  readonly heights: Heights;
  readonly windowBlocks?: number;
  /** Requested keys; absent for lists of the whole chain. */
  readonly keys?: readonly string[];
  readonly head: number;
}

/** Lands made-up records in the raw tables of a data root. */
export class RawTables {
  readonly #connection: DuckDBConnection;
  readonly #root: string;
  readonly #logs = new Map<string, LogWriter>();
  #landings = 0;

  constructor(connection: DuckDBConnection, root: string) {
    this.#connection = connection;
    this.#root = root;
  }

  async land(landing: Landing): Promise<void> {
    const { heights, windowBlocks, keys = [''] } = landing;
    const readAtMs = this.#nextReading();
    const coverage = windowsOf(heights, windowBlocks).flatMap((window, i) =>
      entriesOf(landing, keys, window, readAtMs + i * 10),
    );
    await this.#commit(landing, coverage, readAtMs);
  }

  /** Lands look-ups by hash: each hash is a key with the window of its block. */
  async landLookUps(landing: Landing): Promise<void> {
    const readAtMs = this.#nextReading();
    const coverage: CoverageEntry[] = [];
    for (const [i, window] of windowsOf(landing.heights).entries()) {
      const result = await this.#connection.runAndReadAll(
        `SELECT tx_hash FROM read_parquet(${literal(landing.source)})
         WHERE ${landing.where ?? 'true'} AND block_number BETWEEN ${window.from} AND ${window.to}
         ORDER BY tx_hash`,
      );
      const hashes = result.getRows().map(([hash]) => String(hash));
      coverage.push(...entriesOf(landing, hashes, window, readAtMs + i * 1000));
    }
    await this.#commit(landing, coverage, readAtMs);
  }

  #nextReading(): number {
    this.#landings += 1;
    return FIRST_READING_MS + this.#landings * 600_000;
  }

  async #commit(landing: Landing, coverage: CoverageEntry[], readAtMs: number): Promise<void> {
    const list = listAt(landing);
    const folder = layout(this.#root).table(CHAINS[list.dataset.axis], list.dataset.name);
    const log = this.#logs.get(folder) ?? new LogWriter(folder, list.dataset);
    this.#logs.set(folder, log);
    await mkdir(folder, { recursive: true });
    const file = await this.#write(list, landing, folder, readAtMs);
    const files = (file.rows ?? 0) > 0 ? [file] : [];
    await log.commit(ledger(RUN, { coverage }), files, readAtMs + 300_000);
  }

  async #write(
    list: List,
    { source, where = 'true' }: Landing,
    folder: string,
    readAtMs: number,
  ): Promise<DataFile> {
    const path = `part-${randomUUID()}.parquet`;
    const file = literal(join(folder, path));
    const from = `read_parquet(${literal(source)})`;
    const reader = await this.#connection.runAndReadAll(`DESCRIBE SELECT * FROM ${from}`);
    const columns = columnsSql(
      list,
      new Set(reader.getRows().map(([name]) => String(name))),
      readAtMs,
    );
    await this.#connection.run(
      `COPY (SELECT ${columns} FROM ${from} WHERE ${where})
       TO ${file} (FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 40960)`,
    );
    const height = identifier(list.dataset.heightColumn);
    const read = await this.#connection.runAndReadAll(
      `SELECT count(*), min(${height}), max(${height}) FROM read_parquet(${file})`,
    );
    const [rows, lowest, highest] = read.getRows()[0] ?? [];
    return {
      path,
      sizeBytes: (await stat(join(folder, path))).size,
      rows: Number(rows),
      heights: { from: Number(lowest ?? 0), to: Number(highest ?? 0) },
      sha256: await sha256Of(join(folder, path)),
      source: { endpoint: list.endpoint, variant: list.variant },
    };
  }
}

/** Coverage of the keys, in requests of up to 20 keys each. */
function entriesOf(
  { endpoint, variant, head }: Landing,
  keys: readonly string[],
  { from, to }: Heights,
  readAtMs: number,
): CoverageEntry[] {
  return keys.map((key, i) => {
    const request = Math.floor(i / KEYS_PER_REQUEST);
    const said = { status: 'complete', reason: '', head, readAtMs: readAtMs + request } as const;
    return { endpoint, variant, key, from, to, ...said };
  });
}

/** The table's columns: those the list serves, those windrow fills in, and the lineage. */
function columnsSql(list: List, names: ReadonlySet<string>, readAtMs: number): string {
  const { entry, endpoint, variant, dataset, filters } = list;
  const served = [...entry.fields, ...(dataset.words ?? [])].flatMap(columnsOf);
  const values = new Map<string, string>();
  for (const { name } of served) {
    const single = name.replace(/es$/, '');
    if (names.has(name)) values.set(name, identifier(name));
    else if (names.has(single))
      values.set(name, `CASE WHEN ${single} IS NOT NULL THEN [${single}] END`);
  }
  for (const [word, value] of filledBy(entry, filters)) values.set(word.column, literal(value));
  const slice = createHash('sha256').update(`${endpoint} ${readAtMs}`).digest('hex').slice(0, 12);
  values.set('_endpoint', literal(endpoint));
  values.set('_variant', literal(variant));
  values.set('_occurrence', 'occurrence');
  values.set('_slice', literal(slice));
  values.set('_fetched_at', `make_timestamptz(${readAtMs * 1000})`);
  values.set('_run', literal(RUN));
  // A request that names one block gives rows a place in its answer.
  const isOneBlock = list.entry.list === 'by-key' && 'protocolType' in filtersIn(list.variant);
  if (isOneBlock) values.set('_list_position', 'list_position');
  return tableColumns(dataset.name)
    .map(
      ({ name, type }) => `CAST(${values.get(name) ?? 'NULL'} AS ${type}) AS ${identifier(name)}`,
    )
    .join(', ');
}
