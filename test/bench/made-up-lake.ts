import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type DuckDBConnection, DuckDBInstance } from '@duckdb/node-api';
import { openConnection } from '../../src/land/storage/connection.ts';
import { literal } from '../../src/land/storage/sql-text.ts';
import { writeActivity } from './made-up/clean-activity.ts';
import { cleanFileIn, cleanTables } from './made-up/clean-tables.ts';
import { type ChunkFiles, landChunk, landWhole, type WholeFiles } from './made-up/land-records.ts';
import { macros } from './made-up/macros.ts';
import {
  blocksSql,
  holdersSql,
  internalsSql,
  sendersSql,
  transactionsSql,
  transfersSql,
} from './made-up/primary.ts';
import { RawTables } from './made-up/raw-tables.ts';
import { FOLLOWED, type Sizes, sizesOf } from './made-up/sizes.ts';
import { crossChainSql, crossingsSql, zoneBlocksSql, zoneTransactionsSql } from './made-up/zone.ts';

/**
 * Makes up a raw lake in `DIR/lake`, and the curated tables that it must give in `DIR/clean`, one
 * Parquet file per table. Both come from the same records, which are functions of their numbers.
 * At scale 1 there are 5 million transactions in two lists each, 10 million token transfers in two
 * lists each, 2 million internal transactions, 500,000 zone transactions, 200,000 cross-chain
 * transfers, 200 followed addresses and 1 million blocks; a tenth of the transactions is looked up
 * by hash too.
 *
 *     npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql package.json node_modules/.bench/ &&
 *       node node_modules/.bench/test/bench/made-up-lake.js DIR [scale]
 *
 * Coverage of whole blocks is claimed by windows of 10,000 blocks, while a run of windrow claims
 * every block by itself, so the logs are smaller than those of a real lake.
 */

const MEMORY = '3GiB';

export interface MadeUpLake {
  readonly sizes: Sizes;
  /** The data root. */
  readonly root: string;
  /** Folder of the clean files. */
  readonly clean: string;
  readonly followed: readonly string[];
}

/** Replaces `lake` and `clean` below the root. `note` gets a line per step. */
export async function makeUpLake(
  root: string,
  scale: number,
  note: (line: string) => void = () => {},
): Promise<MadeUpLake> {
  const sizes = sizesOf(scale);
  const clean = join(root, 'clean');
  const scratch = join(root, 'scratch');
  for (const folder of [join(root, 'lake'), clean, scratch]) {
    await rm(folder, { recursive: true, force: true });
  }
  await mkdir(clean, { recursive: true });
  await mkdir(scratch, { recursive: true });
  const instance = await DuckDBInstance.create(join(scratch, 'numbers.duckdb'), {
    memory_limit: MEMORY,
    temp_directory: join(scratch, 'spilled'),
  });
  const connection = await openConnection(instance);
  const chunks: ChunkFiles[] = [];
  for (const macro of macros(sizes)) await connection.run(macro);
  await connection.run(sendersSql(sizes));
  await connection.run(crossingsSql(sizes));
  note('numbers of all records');
  const tables = new RawTables(connection, root);
  const followed = await followedAddresses(connection);
  for (const [i, chunk] of sizes.chunks.entries()) {
    const files = await writeChunk(connection, scratch, i, sizes);
    await landChunk(tables, sizes, chunk, files, followed);
    chunks.push(files);
    note(`raw records of blocks ${chunk.heights.from} to ${chunk.heights.to}`);
  }
  const whole = await writeWhole(connection, scratch, sizes, chunks);
  await landWhole(tables, sizes, whole);
  note('raw records of the zone chain');
  for (const { name, sql } of cleanTables({ chunks, whole, clean })) {
    await connection.run(
      `COPY (${sql}) TO ${literal(join(clean, `${name}.parquet`))}
       (FORMAT parquet, COMPRESSION zstd)`,
    );
    note(`clean/${name}.parquet`);
  }
  const activity = join(clean, 'address_activity.parquet');
  await writeActivity(connection, cleanFileIn(clean), scratch, activity);
  note('clean/address_activity.parquet');
  connection.closeSync();
  instance.closeSync();
  await rm(scratch, { recursive: true, force: true });
  const made = { sizes, root, clean, followed };
  await writeFile(join(clean, 'scale.json'), `${JSON.stringify({ scale })}\n`);
  return made;
}

async function followedAddresses(connection: DuckDBConnection): Promise<string[]> {
  const result = await connection.runAndReadAll(
    `SELECT address_of(id) FROM range(${FOLLOWED}) AS numbers (id) ORDER BY id`,
  );
  return result.getRows().map(([address]) => String(address));
}

async function writeChunk(
  connection: DuckDBConnection,
  scratch: string,
  i: number,
  { chunks }: Sizes,
): Promise<ChunkFiles> {
  const chunk = chunks[i];
  if (chunk === undefined) throw new Error(`no chunk ${i}`);
  const path = (kind: string): string => join(scratch, `${kind}-${i}.parquet`);
  const files = {
    transactions: path('transactions'),
    transfers: path('transfers'),
    internals: path('internals'),
  };
  const transactions = literal(files.transactions);
  await write(connection, transactionsSql(chunk), files.transactions);
  await write(connection, transfersSql(chunk, transactions), files.transfers);
  await write(connection, internalsSql(chunk, transactions), files.internals);
  return files;
}

async function writeWhole(
  connection: DuckDBConnection,
  scratch: string,
  sizes: Sizes,
  chunks: readonly ChunkFiles[],
): Promise<WholeFiles> {
  const path = (kind: string): string => join(scratch, `${kind}.parquet`);
  const files = {
    blocks: path('blocks'),
    holders: path('holders'),
    zoneTransactions: path('zone-transactions'),
    zoneBlocks: path('zone-blocks'),
    crossChain: path('cross-chain'),
  };
  const [transactions, internals] = (['transactions', 'internals'] as const).map(
    (kind) => `[${chunks.map((chunk) => literal(chunk[kind])).join(', ')}]`,
  );
  await write(connection, blocksSql(sizes, transactions ?? '', internals ?? ''), files.blocks);
  await write(connection, holdersSql(sizes), files.holders);
  await write(connection, zoneTransactionsSql(sizes), files.zoneTransactions);
  const zone = literal(files.zoneTransactions);
  await write(connection, zoneBlocksSql(sizes, zone), files.zoneBlocks);
  await write(connection, crossChainSql(), files.crossChain);
  return files;
}

/** Writes a temporary file. */
async function write(connection: DuckDBConnection, sql: string, file: string): Promise<void> {
  await connection.run(`COPY (${sql}) TO ${literal(file)} (FORMAT parquet, COMPRESSION lz4)`);
}

async function main(): Promise<void> {
  const [root, scale = '1'] = process.argv.slice(2);
  if (root === undefined) throw new Error('made-up-lake.js DIR [scale]');
  const startedMs = performance.now();
  await makeUpLake(root, Number(scale), (line) => {
    const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
    process.stdout.write(`${seconds.padStart(7)} s  ${line}\n`);
  });
  const { maxRSS } = process.resourceUsage();
  process.stdout.write(`peak memory ${Math.round(maxRSS / 1024)} MiB\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await main();
