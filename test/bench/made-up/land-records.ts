import { literal } from '../../../src/land/storage/sql-text.ts';
import type { RawTables } from './raw-tables.ts';
import type { Chunk, Sizes } from './sizes.ts';

/** The raw lists of a made-up lake. */

const STANDARDS = ['token_20', 'token_721', 'token_1155'];

/** Parquet files of the records of one chunk. */
export interface ChunkFiles {
  readonly transactions: string;
  readonly transfers: string;
  readonly internals: string;
}

/** Lists of the primary chain that hold the records of a chunk. */
export async function landChunk(
  tables: RawTables,
  { head }: Sizes,
  { heights }: Chunk,
  files: ChunkFiles,
  keys: readonly string[],
): Promise<void> {
  const plain = { variant: '', heights, head };
  const source = files.transactions;
  for (const endpoint of [
    'mainchain/address/normal-transaction-list-multi',
    'mainchain/address/normal-transaction-list',
  ]) {
    await tables.land({ ...plain, endpoint, source, keys });
  }
  const lookUp = 'mainchain/transaction/transaction-multi';
  const tenth = "chance(_number, 'looked up', 10) = 0";
  await tables.landLookUps({ ...plain, endpoint: lookUp, source, where: tenth });
  const calls = 'mainchain/address/internal-transaction-list-multi';
  await tables.land({ ...plain, endpoint: calls, source: files.internals, keys });
  for (const standard of STANDARDS) {
    const transfers = {
      ...plain,
      source: files.transfers,
      variant: `protocolType=${standard}`,
      where: `token_standard = ${literal(standard)}`,
    };
    await tables.land({ ...transfers, endpoint: 'mainchain/address/token-transaction-list', keys });
    await tables.land({ ...transfers, endpoint: 'mainchain/block/transaction-list' });
  }
}

/** Parquet files of records that are not cut into chunks. */
export interface WholeFiles {
  readonly blocks: string;
  readonly holders: string;
  readonly zoneTransactions: string;
  readonly zoneBlocks: string;
  readonly crossChain: string;
}

/** Zone heights per data file: 500,000 transactions. */
const ZONE_FILE_BLOCKS = 12_000_000;

/** The remaining lists of both chains. */
export async function landWhole(tables: RawTables, sizes: Sizes, files: WholeFiles): Promise<void> {
  const primary = { variant: '', head: sizes.head };
  const heights = sizes.detailed;
  for (const endpoint of ['mainchain/block/block-fills', 'mainchain/block/block-list']) {
    await tables.land({ ...primary, endpoint, source: files.blocks, heights });
  }
  await tables.land({
    ...primary,
    endpoint: 'mainchain/address/native-token-position-list',
    source: files.holders,
    heights: { from: sizes.head, to: sizes.head },
  });
  const zone = { variant: '', head: sizes.zoneHead };
  const { from, to } = sizes.zoneHeights;
  for (let start = from; start <= to; start += ZONE_FILE_BLOCKS) {
    const part = { from: start, to: Math.min(to, start + ZONE_FILE_BLOCKS - 1) };
    const within = `BETWEEN ${part.from} AND ${part.to}`;
    await tables.land({
      ...zone,
      endpoint: 'mainchain/zone/block/transaction-list-multi',
      source: files.zoneTransactions,
      where: `block_number ${within}`,
      heights: part,
    });
    await tables.land({
      ...zone,
      endpoint: 'mainchain/zone/cross/transaction-list',
      source: files.crossChain,
      where: `zone_block_number ${within}`,
      heights: part,
    });
  }
  await tables.land({
    ...zone,
    endpoint: 'mainchain/zone/block/block-list',
    source: files.zoneBlocks,
    heights: sizes.zoneDetailed,
  });
}
