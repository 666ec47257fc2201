import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { type Exported, type ExportJob, exportFiles } from '../../src/export/export.ts';
import type { Format } from '../../src/export/formats.ts';
import { localDisk } from '../../src/land/disk.ts';
import { type Layout, layout } from '../../src/land/layout.ts';
import { systemEffects } from '../../src/system.ts';

/** A data root whose warehouse is made of plain SQL. */
export class ExportRoot {
  readonly layout: Layout;

  private constructor(root: string) {
    this.layout = layout(root);
  }

  static async make(...sql: readonly string[]): Promise<ExportRoot> {
    const made = new ExportRoot(await mkdtemp(join(tmpdir(), 'windrow-export-')));
    const instance = await DuckDBInstance.create(made.layout.warehouse);
    const connection = await instance.connect();
    for (const statement of ['CREATE SCHEMA lake', ...sql]) await connection.run(statement);
    connection.closeSync();
    instance.closeSync();
    return made;
  }

  get root(): string {
    return this.layout.root;
  }

  run(job: Pick<ExportJob, 'wanted'> & Partial<ExportJob>): Promise<Exported[]> {
    return exportFiles({
      layout: this.layout,
      format: 'parquet',
      mayReplace: true,
      isRaw: false,
      timeoutMs: 60_000,
      effects: systemEffects('warn'),
      disk: localDisk,
      ...job,
    });
  }

  /** One answer as one file. */
  async sql(sql: string, format: Format, more: Partial<ExportJob> = {}): Promise<Exported> {
    const [exported] = await this.run({ wanted: [{ name: 'q', asked: { sql } }], format, ...more });
    if (exported === undefined) throw new Error('nothing was exported');
    return exported;
  }

  remove(): Promise<void> {
    return rm(this.root, { recursive: true, force: true });
  }
}

/** What DuckDB reads, as its own text for every value. */
export async function readBack(sql: string): Promise<Record<string, unknown>[]> {
  const instance = await DuckDBInstance.create();
  const connection = await instance.connect();
  try {
    await connection.run("SET TimeZone = 'UTC'");
    return (await connection.runAndReadAll(sql)).getRowObjectsJson();
  } finally {
    connection.closeSync();
    instance.closeSync();
  }
}
