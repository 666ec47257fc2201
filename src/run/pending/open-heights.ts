import type { Lake } from '../../land/lake.ts';
import { scanSql } from '../../land/storage/scan.ts';
import { withScratch } from '../../land/storage/scratch.ts';

/**
 * The newest landed heights that have been read as pending and not yet as settled, in order, each
 * with the hashes of its transactions: a run ends before its last height is in the chain.
 */
export async function openHeights(
  { captured }: Pick<Lake, 'captured'>,
  most: number,
): Promise<[number, readonly string[]][]> {
  return withScratch(async (connection) => {
    const scans: string[] = [];
    for (const { stored } of captured.values()) {
      const { columns } = stored.shape;
      const used = columns.filter(({ name }) => ['block_number', 'tag', 'tx_hash'].includes(name));
      if (!used.some(({ name }) => name === 'tag')) continue;
      scans.push(`(${await scanSql(connection, stored.paths(await stored.snapshot()), used)})`);
    }
    const result = await connection.runAndReadAll(
      `WITH readings AS (${scans.join(' UNION ALL BY NAME ')}),
       open AS (
         SELECT block_number FROM readings WHERE block_number IS NOT NULL
         GROUP BY ALL HAVING NOT bool_or(tag = 'settled') ORDER BY ALL DESC LIMIT ${most}
       )
       SELECT block_number, string_agg(DISTINCT tx_hash, ',')
       FROM readings JOIN open USING (block_number) GROUP BY block_number ORDER BY block_number`,
    );
    return result.getRows().map(([height, hashes]) => {
      return [Number(height), hashes === null ? [] : String(hashes).split(',')];
    });
  });
}
