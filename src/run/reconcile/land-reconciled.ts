import { RECONCILIATION_TABLES } from '../../catalogue/rpc/reconciliation-tables.ts';
import type { ListId } from '../../coverage/list.ts';
import type { WitnessReport } from '../../fetch/witness/witnesses.ts';
import type { Lake } from '../../land/lake.ts';
import { literal } from '../../land/storage/sql-text.ts';
import type { WarehouseConnection } from '../../load/query/open-warehouse.ts';
import { rowsAs } from '../../load/query/query.ts';
import type { Reconciled } from './reconcile.ts';
import { type FindingRow, type ReconciliationRow, reconciledCells } from './rows.ts';

/** The columns that all rows of one reconciliation share. */
export interface SharedCells {
  readonly chain: string;
  readonly witness: string;
  readonly witness_head: number | null;
  readonly client_version: string | null;
}

/** A row with these columns. */
export type LandedReconciliation = ReconciliationRow & SharedCells;
export type LandedFinding = FindingRow & Pick<SharedCells, 'chain'>;

export function sharedCells(chain: string, reports: readonly WitnessReport[]): SharedCells {
  const used = reports.filter(isUsed);
  const heads = used.flatMap(({ head }) => head ?? []);
  return {
    chain,
    witness: used.map(({ url }) => url).join(', '),
    witness_head: heads.length === 0 ? null : Math.min(...heads),
    client_version: used.map(({ client_version: version }) => version ?? '?').join(', ') || null,
  };
}

/** Whether answers of the node count. */
export function isUsed({ status }: WitnessReport): boolean {
  return status === 'used' || status === 'pruned';
}

/** Appends the rows to the tables of the lake. */
export async function landReconciled(
  { captured }: Pick<Lake, 'captured'>,
  rows: readonly LandedReconciliation[],
  findings: readonly LandedFinding[],
  readAtMs: number,
): Promise<void> {
  const [first, second] = RECONCILIATION_TABLES;
  await captured.get(first.name)?.add(rows.map((row) => reconciledCells(first, row, readAtMs)));
  const cells = findings.map((finding) => reconciledCells(second, finding, readAtMs));
  await captured.get(second.name)?.add(cells);
}

const DATASETS: Readonly<Record<string, string>> = {
  value: 'transactions',
  fee: 'transactions',
  nonce: 'transactions',
  internal: 'internal_transactions',
  token: 'token_transfers',
};

/** Makes the complete coverage of the blocks with differences inconsistent. */
export async function withdrawDifferences(
  lake: Pick<Lake, 'table'>,
  connection: WarehouseConnection,
  { findings }: Pick<Reconciled, 'findings'>,
): Promise<void> {
  for (const { address, block_number, ledger_block, leg, verdict, what } of findings) {
    const dataset = DATASETS[leg];
    if (verdict !== 'differs' || address === null || dataset === undefined) continue;
    const heights = [...new Set([block_number, ledger_block ?? block_number])];
    for (const height of heights) {
      const lists = await rowsAs<ListId & { readonly key: string }>(
        connection,
        `SELECT DISTINCT endpoint, variant, key FROM lake.coverage
         WHERE dataset = ${literal(dataset)} AND key IN (${literal(address)}, '')
           AND key_kind <> 'transaction' AND status = 'complete'
           AND ${height} BETWEEN from_block AND to_block`,
      );
      const reason = `a witness differs at block ${height} (${what})`;
      const rows = lists.map(({ key, ...list }) => ({ list, key, height, reason }));
      await lake.table(dataset).contradict(rows, [{ from: height, to: height }]);
    }
  }
}
