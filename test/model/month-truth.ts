import type { SimulatedChain } from '../../service/src/simulated/chain.ts';
import { curatedTable } from '../../src/curate/curate-axis.ts';
import { CURATED_TABLES } from '../../src/curate/curated-tables.ts';
import type { StoredTable } from '../../src/land/delta/stored-table.ts';
import type { Lake } from '../../src/land/lake.ts';
import { scanSql } from '../../src/land/storage/scan.ts';
import { withScratch } from '../../src/land/storage/scratch.ts';

/** The rows of a chain, of raw tables and of curated tables, as sorted lines to compare. */

const COLUMNS = ['block_number', 'tx_hash', 'from_address', 'to_address'];

/** Records of the addresses at these heights, by a plain loop over the chain. */
export function linesOfChain(
  chain: SimulatedChain,
  addresses: readonly string[],
  dataset: string,
  { from, to }: { readonly from: number; readonly to: number },
): string[] {
  const lines: string[] = [];
  for (let height = from; height <= to; height += 1) {
    const records = Object.entries(chain.recordsAt(height)).find(([name]) => name === dataset);
    for (const record of records?.[1] ?? []) {
      const parties = `${record['from_address']},${record['to_address']}`.split(',');
      if (!parties.some((party) => addresses.includes(party))) continue;
      lines.push(COLUMNS.map((name) => record[name] ?? '').join(' '));
    }
  }
  return lines.sort();
}

export async function linesOfRaw(lake: Lake, dataset: string): Promise<string[]> {
  return linesOf(lake.table(dataset).stored);
}

export async function linesOfCurated(lake: Lake, name: string): Promise<string[]> {
  const table = CURATED_TABLES.find((candidate) => candidate.name === name);
  if (table === undefined) throw new Error(`there is no curated table ${name}`);
  return linesOf(curatedTable(lake, table));
}

async function linesOf(table: StoredTable): Promise<string[]> {
  const paths = table.paths(await table.snapshot());
  return withScratch(async (connection) => {
    const columns = COLUMNS.map((name) => ({ name, type: 'VARCHAR' as const, comment: '' }));
    const rows = await scanSql(connection, paths, columns as never);
    const texts = COLUMNS.map((name) => `coalesce(CAST(${name} AS VARCHAR), '')`);
    const reader = await connection.runAndReadAll(
      `SELECT concat_ws(' ', ${texts.join(', ')}) FROM (${rows})`,
    );
    return reader
      .getRows()
      .map(([line]) => String(line))
      .sort();
  });
}
