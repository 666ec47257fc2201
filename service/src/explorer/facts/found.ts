import { textIn } from './cells.ts';
import { transactionFacts } from './transaction-facts.ts';
import type { AskWarehouse } from './warehouse-reader.ts';

/** A page that shows the thing that was searched for. */
export interface Hit {
  readonly path: string;
  readonly title: string;
}

const ADDRESS = /^0x[0-9a-f]{40}$/;
const HASH = /^0x[0-9a-f]{64}$/;
const HEIGHT = /^[0-9]{1,15}$/;
/** Labels that a search lists; one more is found, where there are more. */
export const MOST_LABELS = 25;

/** SQL that orders labels with their numbers as numbers: `fund 2` before `fund 10`. */
export const NATURAL_ORDER = `regexp_replace(
  regexp_replace(lower(label), '([0-9]+)', '00000000000\\1', 'g'), '0*([0-9]{12})', '\\1', 'g')`;

/** All pages that match a text: an address, a hash, a height, or the beginning of a label. */
export async function findPages(ask: AskWarehouse, text: string): Promise<readonly Hit[]> {
  const wanted = text.trim().toLowerCase();
  if (ADDRESS.test(wanted)) return [{ path: `address/${wanted}`, title: `Address ${wanted}` }];
  if (HASH.test(wanted)) return byHash(ask, wanted);
  if (HEIGHT.test(wanted.replaceAll(',', ''))) {
    return byHeight(ask, BigInt(wanted.replaceAll(',', '')));
  }
  return byLabel(ask, wanted);
}

async function byHash(ask: AskWarehouse, hash: string): Promise<Hit[]> {
  if ((await transactionFacts(ask, hash)) !== undefined) {
    return [{ path: `tx/${hash}`, title: `Transaction ${hash}` }];
  }
  const blocks = await ask(
    `SELECT 'primary' AS chain, block_number FROM curated.blocks WHERE block_hash = $1::VARCHAR
     UNION ALL
     SELECT 'zone', block_number FROM curated.zone_blocks WHERE block_hash = $1::VARCHAR LIMIT 5`,
    hash,
  );
  return blocks.map((row) => blockHit(String(row['chain']), textIn(row, 'block_number') ?? ''));
}

async function byHeight(ask: AskWarehouse, height: bigint): Promise<Hit[]> {
  const rows = await ask(
    `SELECT chain FROM (VALUES ('primary'), ('zone')) AS chains (chain)
     WHERE chain = 'primary' AND (
         EXISTS (FROM curated.blocks WHERE block_number = $1::BIGINT)
         OR EXISTS (FROM curated.transactions WHERE block_number = $1::BIGINT))
       OR chain = 'zone' AND (
         EXISTS (FROM curated.zone_blocks WHERE block_number = $1::BIGINT)
         OR EXISTS (FROM curated.zone_transactions WHERE block_number = $1::BIGINT))`,
    height,
  );
  return rows.map((row) => blockHit(String(row['chain']), String(height)));
}

function blockHit(chain: string, height: string): Hit {
  return { path: `block/${chain}/${height}`, title: `Block ${height} of the ${chain} chain` };
}

async function byLabel(ask: AskWarehouse, start: string): Promise<Hit[]> {
  if (start === '') return [];
  const rows = await ask(
    `SELECT address, label FROM lake.labels WHERE starts_with(lower(label), $1::VARCHAR)
     ORDER BY ${NATURAL_ORDER}, label, address LIMIT ${MOST_LABELS + 1}`,
    start,
  );
  return rows.map((row) => ({
    path: `address/${textIn(row, 'address') ?? ''}`,
    title: `${textIn(row, 'label') ?? ''}: ${textIn(row, 'address') ?? ''}`,
  }));
}
