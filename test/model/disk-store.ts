import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { addressesIn, type Kind, party } from '../../src/catalogue/column-kind.ts';
import { datasetNamed, endpointAt } from '../../src/catalogue/index.ts';
import type { CoverageEntry } from '../../src/coverage/coverage.ts';
import { listOf } from '../../src/coverage/list.ts';
import type { Effects } from '../../src/effects.ts';
import { decode } from '../../src/land/rows/decode.ts';
import { forgottenIn } from '../../src/land/rows/forgotten-in.ts';
import { DeltaTable } from '../../src/land/rows/table.ts';
import type { Walk } from '../../src/land/rule/claim.ts';
import type { TableState } from '../../src/land/rule/merge.ts';
import { type Disk, localDisk } from '../../src/land/storage/disk.ts';
import { ParquetWriter } from '../../src/land/storage/parquet.ts';
import { listed } from '../fixtures/listed.ts';
import { mergeAll } from '../fixtures/merge-all.ts';
import { type ChainRecord, ENDPOINT, type Store } from './history.ts';

const SHORT_PARTY: Kind = {
  ...party,
  canonical: (text) => text,
  decode: (text) => [text, addressesIn(text)],
};

/** The list with short addresses, which the model writes. */
const LIST = listOf({
  ...endpointAt(ENDPOINT),
  fields: endpointAt(ENDPOINT).fields.map((field) => {
    return field.kind === party ? { ...field, kind: SHORT_PARTY } : field;
  }),
});

/** The table on disk, behind the interface of the model. */
export class DiskStore implements Store {
  readonly table: DeltaTable;
  readonly folder: string;
  readonly #writer: ParquetWriter;

  private constructor(folder: string, writer: ParquetWriter, table: DeltaTable) {
    this.folder = folder;
    this.#writer = writer;
    this.table = table;
  }

  static async open(
    effects: Effects,
    disk: Disk = localDisk,
    at?: string,
    dataset = endpointAt(ENDPOINT).dataset,
    checkpointCommits?: number,
  ): Promise<DiskStore> {
    const folder = at ?? (await mkdtemp(join(tmpdir(), 'windrow-table-')));
    const writer = await ParquetWriter.open(join(folder, 'spilled'));
    const table = new DeltaTable({
      disk,
      effects,
      writer,
      folder: join(folder, 'table'),
      staging: join(folder, 'staging'),
      run: 'test',
      dataset: datasetNamed(dataset),
      ...(checkpointCommits === undefined ? {} : { checkpointCommits }),
    });
    return new DiskStore(folder, writer, table);
  }

  async close(): Promise<void> {
    this.#writer.close();
    await rm(this.folder, { recursive: true, force: true });
  }

  async state(): Promise<TableState> {
    const { coverage, reorganisations } = await this.table.snapshot();
    return { coverage: coverage.clone(), reorganisations: [...reorganisations] };
  }

  async commit(walks: readonly Walk<ChainRecord>[]): Promise<readonly CoverageEntry[]> {
    const { contradicted } = await this.table.commit(
      walks.map(({ claim, records }) => {
        const { rows, broken } = decode(LIST, listed(LIST.entry, records.map(wireRecord)));
        if (broken.length > 0) throw new Error(broken[0]?.reason);
        return { claim, records: rows, slice: 'test', requests: 1 };
      }),
    );
    return contradicted;
  }

  async reorganised(height: number): Promise<void> {
    await this.table.reorganised(height);
  }

  async compact(): Promise<void> {
    await mergeAll(this.table.stored);
  }

  async forget(keys: readonly string[]): Promise<void> {
    const { table } = this;
    await table.forget((snapshot) => forgottenIn(snapshot, table, () => keys));
  }

  /** Read as any reader that follows the log would, by an instance of its own. */
  async rows(): Promise<readonly ChainRecord[]> {
    const paths = this.table.paths(await this.table.snapshot());
    if (paths.length === 0) return [];
    const instance = await DuckDBInstance.create();
    const connection = await instance.connect();
    const list = paths.map((path) => `'${path}'`).join(', ');
    const result = await connection.runAndReadAll(
      `SELECT block_number::INTEGER, from_address, to_address, amount_text
       FROM read_parquet([${list}])`,
    );
    const rows = result.getRows().map(([height, from, to, content]) => ({
      height: Number(height),
      touches: [...new Set(addressesIn(`${from},${to}`))],
      content: String(content),
    }));
    connection.closeSync();
    instance.closeSync();
    return rows;
  }
}

/** The record as the endpoint would send it; its content is spelled in the amount. */
function wireRecord(record: ChainRecord): Record<string, unknown> {
  const [from, to] = record.touches;
  return {
    txId: '',
    height: String(record.height),
    from,
    to: to ?? from,
    amount: contentNumber(record.content),
  };
}

const NUMBERS = new Map<string, string>();

/** Contents are compared as the amounts they are stored as: one number for each. */
export function contentNumber(content: string): string {
  const number = NUMBERS.get(content) ?? String(NUMBERS.size + 1);
  NUMBERS.set(content, number);
  return number;
}
