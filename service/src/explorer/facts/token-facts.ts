import type { QueryRow } from '../../../../src/load/query/query.ts';
import { type Extent, extentOf, type ListPlace, type RowList, rowsFrom } from './activity-rows.ts';
import { textIn } from './cells.ts';
import { namesOf, type ShownNames } from './names.ts';
import type { WarehouseSession } from './warehouse-reader.ts';

/** The exported transfers of a token of the primary chain. */
export interface TokenFacts {
  readonly token: string;
  readonly extent: Extent;
  readonly rows: readonly QueryRow[];
  readonly place: ListPlace | undefined;
  readonly next: ListPlace | undefined;
  readonly decimals: string | undefined;
  /** Lists of this contract that were requested, by status. */
  readonly lists: readonly QueryRow[];
  readonly names: ShownNames;
}

const TOKEN_ROWS = 50;

export async function tokenFacts(
  session: WarehouseSession,
  token: string,
  place: ListPlace | undefined,
): Promise<TokenFacts> {
  const { ask } = session;
  const list: RowList = {
    table: 'curated.token_transfers',
    columns: '*',
    condition: { sql: 'token_address = $1::VARCHAR', values: [token] },
    within: `tx_hash, list_position NULLS LAST, from_address, to_address, token_id,
      amount_text, occurrence`,
  };
  const extent = await extentOf(session, list);
  const { rows, next } = await rowsFrom(session, list, extent, place, TOKEN_ROWS);
  const lists = await ask(
    `SELECT status, min(from_block) AS from_block, max(to_block) AS to_block FROM lake.coverage
     WHERE key = $1::VARCHAR AND key_kind = 'token' GROUP BY status ORDER BY status`,
    token,
  );
  const [named = {}] = await ask(
    'SELECT decimals FROM lake.tokens WHERE token_address = $1::VARCHAR LIMIT 1',
    token,
  );
  const parties = rows.flatMap((row) => [textIn(row, 'from_address'), textIn(row, 'to_address')]);
  const names = await namesOf(ask, [token, ...parties]);
  return { token, extent, rows, place, next, lists, decimals: textIn(named, 'decimals'), names };
}
