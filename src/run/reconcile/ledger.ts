import type { Leg } from '../../fetch/witness/movement.ts';
import type { WarehouseConnection } from '../../load/query/open-warehouse.ts';
import { rowsAs } from '../../load/query/query.ts';
import type { LedgerMovement } from './differences.ts';
import type { OpenFinding } from './rows.ts';
import { type BalanceSubject, openingHeight, smallestUnits } from './subject.ts';

/** A subject, or the reason why its ledger is not whole. */
export interface Candidate {
  readonly subject: BalanceSubject;
  readonly lacking: string | undefined;
}

/** A block with landed records. */
export interface LandedBlock {
  readonly height: number;
  readonly hash: string | null;
  readonly transactions: number | null;
  /** Hashes in records of the compared addresses, each with one of them. */
  readonly records: readonly Pick<LandedReceipt, 'txHash' | 'address'>[];
}

export interface LandedReceipt {
  readonly txHash: string;
  readonly height: number;
  readonly address: string;
  readonly status: string;
}

/** A movement of an address, with an amount as the lists state it. */
interface LandedMovement
  extends Pick<LedgerMovement, 'height' | 'txHash' | 'tokenId' | 'isUnknown'> {
  readonly leg: Leg;
  readonly direction: string;
  readonly counterparty: string | null;
  readonly amount: string;
}

/** Most pairs of an address and an asset without a movement between them. */
const MOST_UNHELD = 5_000;

const SAME_ASSET = `(q.kind = 'native' AND a.leg IN ('value', 'fee', 'internal')
  OR q.kind = 'nonce' AND a.leg = 'fee'
  OR a.leg = 'token' AND a.token_address = q.token
    AND (q.token_id IS NULL OR a.token_id = q.token_id))`;

/** Most differences of earlier reconciliations that are shown again. */
const MOST_OPEN = 1_000;

/** Legs of unknown status count as moved: where they did not, the balances differ. */
const SIGNED = `coalesce(signed_text,
  CASE direction WHEN 'out' THEN '-' ELSE '' END || amount_text, '0')`;

/** The ledger of the primary chain, in a published warehouse. Amounts are exact texts. */
export class LedgerReader {
  readonly #connection: WarehouseConnection;

  constructor(connection: WarehouseConnection) {
    this.#connection = connection;
  }

  /** The assets of the addresses, with their newest complete ranges up to a block. */
  async candidates(addresses: readonly string[], at: number): Promise<Candidate[]> {
    await this.#connection.run(
      `CREATE OR REPLACE TEMP TABLE wanted AS
       SELECT unnest(from_json($wanted::JSON, '["VARCHAR"]')) AS address`,
      { wanted: JSON.stringify(addresses) },
    );
    await this.#connection.run(rangesSql(at));
    const rows = await this.#rows<BalanceSubject & { lacking: string | null }>(CANDIDATES);
    return rows.map(({ lacking, ...subject }) => ({ subject, lacking: lacking ?? undefined }));
  }

  /** Differences up to a block that no later comparison of these blocks has settled. */
  async openFindings(to: number): Promise<readonly OpenFinding[]> {
    return this.#rows(
      `SELECT f.* FROM reconciliation_findings AS f JOIN wanted USING (address)
       WHERE verdict = 'differs' AND block_number <= ${to}
       ORDER BY block_number LIMIT ${MOST_OPEN}`,
    );
  }

  /** The sums of the ledgers from their openings to a height, in the order of the questions. */
  async sums(queries: readonly { subject: BalanceSubject; height: number }[]): Promise<string[]> {
    await this.#ask(
      queries.map(({ subject, height }) => ({ subject, from: openingHeight(subject) + 1, height })),
    );
    const rows = await this.#rows<{ n: number; moved: string | null }>(`
      SELECT q.n, CASE q.kind WHEN 'nonce' THEN CAST(count(DISTINCT tx_hash) AS VARCHAR)
        ELSE exact_sum(${SIGNED}) END AS moved
      FROM asked AS q JOIN curated.address_activity AS a
        ON a.address = q.address AND a.block_number BETWEEN q.from_block AND q.to_block
        AND ${SAME_ASSET}
      GROUP BY q.n, q.kind`);
    const sums = queries.map(() => '0');
    for (const { n, moved } of rows) sums[n] = moved ?? '0';
    return sums;
  }

  /** The movements of a subject in a range of blocks. */
  async movements(
    subject: BalanceSubject,
    places: number,
    from: number,
    to: number,
  ): Promise<LedgerMovement[]> {
    await this.#ask([{ subject, from, height: to }]);
    const { address, kind } = subject;
    const rows = await this.#rows<LandedMovement>(`
      SELECT leg, block_number AS height, tx_hash AS txHash, direction, counterparty,
        a.token_id AS tokenId, ltrim(${SIGNED}, '-') AS amount, signed_text IS NULL AS isUnknown
      FROM asked AS q JOIN curated.address_activity AS a
        ON a.address = q.address AND a.block_number BETWEEN q.from_block AND q.to_block
        AND ${SAME_ASSET}`);
    return rows.map(({ direction, counterparty, ...row }) => ({
      ...row,
      leg: kind === 'nonce' ? kind : row.leg,
      logIndex: null,
      from: direction === 'out' ? address : counterparty,
      to: direction === 'out' ? counterparty : address,
      amount: kind === 'nonce' ? 1n : (smallestUnits(row.amount, places) ?? 0n),
      tokenId: kind === 'token_721' || kind === 'token_1155' ? row.tokenId : null,
    }));
  }

  /** Decimals, and whether amounts are whole or raw, from the tokens CSV. */
  async tokenNames(): Promise<ReadonlyMap<string, { places: number; amounts: string | null }>> {
    const rows = await this.#rows<{ token: string; places: number; amounts: string | null }>(
      `SELECT token_address AS token, decimals AS places, amounts FROM lake.tokens
       WHERE decimals IS NOT NULL`,
    );
    return new Map(rows.map(({ token, ...names }) => [token, names]));
  }

  /** A sample of the blocks that have records of the addresses, complete or not. */
  blocks(to: number, most: number): Promise<LandedBlock[]> {
    return this.#rows(`
      WITH records AS (
        SELECT block_number, tx_hash AS txHash, min(address) AS address
        FROM curated.address_activity AS a JOIN wanted USING (address)
        WHERE axis = 'primary' AND block_number <= ${to}
        GROUP BY block_number, tx_hash
      ),
      sampled AS (
        SELECT block_number, list({ txHash: txHash, address: address }) AS records
        FROM records GROUP BY block_number ORDER BY hash(block_number) LIMIT ${most}
      )
      SELECT block_number AS height, any_value(records) AS records,
        any_value(coalesce(b.block_hash, t.block_hash)) AS hash, max(b.txn_count) AS transactions
      FROM sampled
      LEFT JOIN curated.transactions AS t USING (block_number)
      LEFT JOIN curated.blocks AS b USING (block_number)
      GROUP BY block_number ORDER BY block_number`);
  }

  /** A sample of the transactions of the addresses whose status is known. */
  receipts(to: number, most: number): Promise<LandedReceipt[]> {
    return this.#rows(`
      SELECT tx_hash AS txHash, block_number AS height, min(r.address) AS address,
        any_value(tx_status) AS status
      FROM curated.transactions AS t JOIN ranges AS r
        ON r.address IN (from_address, to_address)
      WHERE block_number <= ${to} AND tx_status IN ('success', 'fail')
      GROUP BY tx_hash, block_number ORDER BY hash(tx_hash) LIMIT ${most}`);
  }

  async #ask(
    queries: readonly { subject: BalanceSubject; from: number; height: number }[],
  ): Promise<void> {
    const rows = queries.map(({ subject: { address, kind, token, tokenId }, from, height }, n) => {
      return { n, address, kind, token, token_id: tokenId, from_block: from, to_block: height };
    });
    await this.#connection.run(
      `CREATE OR REPLACE TEMP TABLE asked AS
       SELECT unnest(from_json($asked::JSON, '[{ "n": "INTEGER", "address": "VARCHAR",
         "kind": "VARCHAR", "token": "VARCHAR", "token_id": "VARCHAR", "from_block": "INTEGER",
         "to_block": "INTEGER" }]'), recursive := true)`,
      { asked: JSON.stringify(rows) },
    );
  }

  #rows<Row>(sql: string): Promise<Row[]> {
    return rowsAs(this.#connection, sql);
  }
}

/** The newest complete range of each address. */
function rangesSql(at: number): string {
  return `
    CREATE OR REPLACE TEMP TABLE ranges AS
    SELECT followed_address AS address, max_by(from_block, to_block) AS from_block,
      least(max(to_block), ${at}) AS to_block
    FROM known.complete_ranges JOIN wanted ON wanted.address = followed_address
    WHERE axis = 'primary' AND from_block <= ${at}
    GROUP BY followed_address`;
}

const CANDIDATES = `
    WITH proven AS (
      SELECT r.address, x.dataset
      FROM ranges AS r
      JOIN lake.reach AS x
        ON x.key IN (r.address, '') AND x.scope = '' AND x.status = 'complete'
        AND x.dataset IN ('transactions', 'internal_transactions')
        AND x.from_block <= r.from_block AND x.to_block >= r.to_block
      JOIN (VALUES ('from'), ('to')) AS sides (side) ON x.side IN ('', sides.side)
      GROUP BY r.address, x.dataset
      HAVING count(DISTINCT sides.side) = 2
    ),
    held AS (
      SELECT DISTINCT address, token_standard AS kind, token_address AS token,
        CASE WHEN token_standard = 'token_1155' THEN token_id END AS token_id
      FROM curated.address_activity JOIN wanted USING (address)
      WHERE leg = 'token' AND token_standard IS NOT NULL AND token_address IS NOT NULL
    ),
    assets AS (SELECT DISTINCT kind, token, token_id FROM held),
    pairs AS (
      SELECT address, kind, token, token_id, true AS is_held FROM held
      UNION ALL
      SELECT wanted.address, assets.kind, assets.token, assets.token_id, false
      FROM wanted CROSS JOIN assets
      ANTI JOIN held ON held.address = wanted.address AND held.token = assets.token
        AND held.token_id IS NOT DISTINCT FROM assets.token_id
      WHERE (SELECT count(*) FROM wanted) * (SELECT count(*) FROM assets) <= ${MOST_UNHELD}
    )
    SELECT wanted.address, own.kind, NULL AS token, NULL AS "tokenId",
      coalesce(from_block, 0) AS "from", coalesce(to_block, 0) AS "to", true AS "isHeld",
      CASE
        WHEN from_block IS NULL THEN 'no range of blocks is complete for the address'
        WHEN NOT (address, 'transactions') IN (FROM proven)
          THEN 'the transactions of the address are not all exported'
        WHEN own.kind = 'native' AND NOT (address, 'internal_transactions') IN (FROM proven)
          THEN 'the internal transactions of the address are not all exported'
      END AS lacking
    FROM wanted LEFT JOIN ranges USING (address)
    CROSS JOIN (VALUES ('native'), ('nonce')) AS own (kind)
    UNION ALL
    SELECT address, kind, token, token_id, coalesce(from_block, 0), coalesce(to_block, 0), is_held,
      CASE WHEN from_block IS NULL THEN 'no range of blocks is complete for the address'
        WHEN NOT has_all_transfers(address, token, kind, from_block)
          THEN 'the transfers of this token are not all exported' END
    FROM pairs LEFT JOIN ranges USING (address)
    ORDER BY ALL`;
