import type { Cell } from '../../catalogue/column-kind.ts';
import type { RECONCILIATION_TABLES } from '../../catalogue/rpc/reconciliation-tables.ts';
import type { Movement } from '../../fetch/witness/movement.ts';
import type { MovementDifference } from './differences.ts';
import type { BalanceSubject } from './subject.ts';

export type ReconcileVerdict = 'agrees' | 'differs' | 'explained' | 'not_checked';

/** An asset of an address, in the columns of both tables. */
interface AssetCells {
  readonly address: string | null;
  readonly asset_kind: string;
  readonly token_address: string | null;
  readonly token_id: string | null;
}

/** A row of the table `reconciliations`, but for the columns that all rows of a run share. */
export interface ReconciliationRow extends AssetCells {
  readonly from_block: number;
  readonly to_block: number;
  readonly opening: string | null;
  readonly moved: string | null;
  readonly closing: string | null;
  readonly expected: string | null;
  readonly difference: string | null;
  readonly verdict: ReconcileVerdict;
  readonly cause: string | null;
  readonly calls: number;
}

/** A row of the table `reconciliation_findings`, but for the shared columns. */
export interface FindingRow extends AssetCells {
  readonly block_number: number;
  readonly tx_hash: string | null;
  readonly log_index: number | null;
  readonly what: string;
  readonly leg: string;
  readonly from_address: string | null;
  readonly to_address: string | null;
  readonly amount: string | null;
  readonly ledger_amount: string | null;
  readonly ledger_block: number | null;
  readonly verdict: 'differs' | 'explained';
  /** The decimal places of the asset's amounts in the ledger; no column. */
  readonly places?: number;
}

/** A finding of an earlier reconciliation. */
export type OpenFinding = FindingRow & { readonly read_at: string };

type Asset = Pick<BalanceSubject, 'address' | 'kind' | 'token' | 'tokenId'>;

export function assetCells({ address, kind, token, tokenId }: Asset): AssetCells {
  return { address, asset_kind: kind, token_address: token, token_id: tokenId };
}

/** The finding of a block, for a subject of which no movement can be named. */
export function namelessFinding(
  asset: Asset,
  height: number,
  what: string,
  more: Partial<FindingRow> = {},
): FindingRow {
  return {
    ...assetCells(asset),
    block_number: height,
    tx_hash: null,
    log_index: null,
    what,
    leg: asset.kind === 'native' ? 'internal' : asset.kind === 'nonce' ? 'nonce' : 'token',
    from_address: null,
    to_address: null,
    amount: null,
    ledger_amount: null,
    ledger_block: null,
    verdict: 'differs',
    ...more,
  };
}

/** The finding of a movement. Rewards and withdrawals stand in no list, so they are explained. */
export function findingOf(subject: BalanceSubject, difference: MovementDifference): FindingRow {
  const { what, onChain, inLedger } = difference;
  const movement = onChain ?? inLedger;
  if (movement === undefined) throw new Error('a difference has a movement');
  const name = isUnlisted(movement) ? UNLISTED : what === 'unknown' ? UNKNOWN_LEGS : undefined;
  return namelessFinding(subject, movement.height, name ?? what, {
    tx_hash: movement.txHash,
    log_index: movement.logIndex,
    leg: movement.leg,
    from_address: movement.from,
    to_address: movement.to,
    amount: onChain === undefined ? null : String(onChain.amount),
    ledger_amount: inLedger === undefined ? null : String(inLedger.amount),
    ledger_block: inLedger?.height ?? null,
    verdict: name === undefined ? 'differs' : 'explained',
  });
}

const UNKNOWN_LEGS = 'unknown legs';
export const UNLISTED = 'rewards or withdrawals';

export function isUnlisted({ leg }: Pick<Movement, 'leg'>): boolean {
  return leg === 'withdrawal' || leg === 'reward';
}

/** The cells of a row, by the columns of its table. */
export function reconciledCells(
  table: (typeof RECONCILIATION_TABLES)[number],
  row: object,
  readAtMs: number,
): Cell[] {
  const values = new Map<string, string | number | null>(Object.entries(row));
  return table.columns.map(({ name }) => {
    if (name === 'read_at') return BigInt(Math.trunc(readAtMs)) * 1000n;
    const value = values.get(name) ?? null;
    return typeof value === 'number' ? BigInt(value) : value;
  });
}
