import { join } from 'node:path';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { Lake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { scanSql } from '../../land/storage/scan.ts';
import { withScratch } from '../../land/storage/scratch.ts';
import { rowsAs } from '../../load/query/query.ts';

/** A captured source of rows, by its landed rows. */
export interface CapturedSource {
  /** `stream` and its network, or `pending`. */
  readonly name: string;
  /** Time of the newest message or reading. */
  readonly newestAt: string;
  readonly block: number | null;
  /** Gaps of the stream, but for its start. */
  readonly gaps: number;
  readonly newestGapAt: string | null;
  readonly newestGapReason: string | null;
  /** Bytes of the journal that have not landed. */
  readonly waitingBytes: number;
}

const USED = ['network', 'received_at', 'read_at', 'block_number', 'to_time', 'reason'];

/** The captured sources of a lake with landed rows. */
export async function capturedSources(lake: Lake): Promise<CapturedSource[]> {
  const tables = await lake.storedTables();
  if (!tables.some(({ shape }) => lake.captured.has(shape.name))) return [];
  const rows = await withScratch((connection) => factsIn(connection, lake));
  return Promise.all(
    rows.map(async ({ network, ...source }) => {
      const waitingBytes = network === null ? 0 : await bytesIn(lake.layout.journalOf(network));
      return { ...source, waitingBytes };
    }),
  );
}

type CapturedFacts = Omit<CapturedSource, 'waitingBytes'> & { readonly network: string | null };

async function factsIn(connection: DuckDBConnection, { captured }: Lake) {
  const rowsOf = async (wanted: (name: string) => boolean): Promise<string> => {
    const scans: string[] = [];
    for (const [name, { stored }] of captured) {
      if (!wanted(name)) continue;
      const columns = stored.shape.columns.filter((column) => USED.includes(column.name));
      const paths = stored.paths(await stored.snapshot());
      scans.push(`(${await scanSql(connection, paths, columns)})`);
    }
    return scans.join(' UNION ALL BY NAME ');
  };
  return rowsAs<CapturedFacts>(
    connection,
    `WITH gaps AS (
      SELECT count(*) AS n, max(to_time) AS time, arg_max(reason, to_time) AS reason
      FROM (${await rowsOf((name) => name === 'preconf_gaps')}) WHERE reason <> 'start'
    )
    SELECT 'stream ' || network AS name, network, max(received_at) AS "newestAt",
      max(block_number) AS block, any_value(gaps.n) AS gaps,
      any_value(gaps.time) AS "newestGapAt", any_value(gaps.reason) AS "newestGapReason"
    FROM (${await rowsOf((name) => name === 'preconf_fragments')}), gaps GROUP BY network
    UNION ALL
    SELECT 'pending', NULL, max(read_at), max(block_number), 0, NULL, NULL
    FROM (${await rowsOf((name) => name.startsWith('pending_'))}) HAVING count(*) > 0
    ORDER BY name`,
  );
}

/** Bytes of the files of a journal that have not landed. */
async function bytesIn(folder: string): Promise<number> {
  const files = (await localDisk.list(folder)).filter((name) => name.endsWith('.journal'));
  const facts = await Promise.all(files.map((name) => localDisk.stat(join(folder, name))));
  return facts.reduce((sum, fact) => sum + (fact?.bytes ?? 0), 0);
}
