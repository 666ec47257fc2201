import { Fault } from '../../fault.ts';
import { Witnesses, type WitnessReport } from '../../fetch/witness/witnesses.ts';
import { type Lake, withLake } from '../../land/lake.ts';
import { locked } from '../../land/lock/lock.ts';
import { withWarehouse } from '../../load/query/open-warehouse.ts';
import { publishWarehouse } from '../../load/warehouse.ts';
import { openWitnessNodes } from '../job/witness-nodes.ts';
import { withReadyWarehouse } from '../lake/with-warehouse.ts';
import {
  isUsed,
  type LandedFinding,
  type LandedReconciliation,
  landReconciled,
  sharedCells,
  withdrawDifferences,
} from '../reconcile/land-reconciled.ts';
import { LedgerReader } from '../reconcile/ledger.ts';
import { landNodeRows } from '../reconcile/node-rows.ts';
import { reconcile } from '../reconcile/reconcile.ts';
import type { ReconcileVerdict } from '../reconcile/rows.ts';
import { inShell, type RunShellOptions } from './run-shell.ts';

export interface WitnessScope {
  /** The last block; default: the last one that is complete. */
  readonly at?: number | undefined;
  /** Default: all addresses in the key sets of the pipeline. */
  readonly addresses?: readonly string[] | undefined;
  /** Adds movements that the lists lack as rows of a node (`landNodeRows`). */
  readonly addsNodeRows?: boolean | undefined;
  readonly signal?: AbortSignal | undefined;
}

export type ReconcileOptions = RunShellOptions & WitnessScope;

/** The result of a reconciliation, as `windrow reconcile --json` prints it. */
export interface Reconciliation {
  readonly reconciliations: readonly (LandedReconciliation & { readonly read_at: string })[];
  /** Those of this comparison, and earlier ones whose blocks are not complete since. */
  readonly findings: readonly (LandedFinding & { readonly read_at: string })[];
  readonly verdicts: Readonly<Record<ReconcileVerdict, number>>;
  /** Number of rows that a node has added. */
  readonly nodeRows: number;
  /** Calls to the node that was asked most, and HTTP requests to all of them. */
  readonly calls: number;
  readonly requests: number;
  readonly witnesses: readonly WitnessReport[];
  readonly exitCode: 0 | 3 | 4;
}

/**
 * Compares the ledger with the nodes of a pipeline, lands the verdicts and publishes the warehouse.
 * Rejects with a Fault without a node, without a warehouse, and where the data root is locked.
 */
export function reconcileRun(options: ReconcileOptions): Promise<Reconciliation> {
  return inShell(options, async ({ loaded, root, effects, run }) => {
    const { chain, zoneChain } = loaded.pipeline.source;
    const chains = { primary: chain, zone: zoneChain };
    return withLake({ root, chains, run, effects }, (lake) =>
      reconcileLake({ ...options, effects }, lake),
    );
  });
}

/** Reconciles over an open lake; see `reconcileRun`. */
export async function reconcileLake(
  options: ReconcileOptions,
  lake: Lake,
): Promise<Reconciliation> {
  const { loaded, root, effects, env, at, signal = new AbortController().signal } = options;
  const readAtMs = effects.now();
  const opened = await openWitnessNodes(loaded, effects, env);
  try {
    if (opened.nodes.length === 0) throw noWitness();
    const witnesses = new Witnesses(opened.nodes, signal);
    const addresses = addressesOf(options);
    const { isPending } = opened;
    const shared = () => sharedCells(loaded.pipeline.source.chain, witnesses.reports());
    let nodeRows = 0;
    const { rows, findings, open } = await withReadyWarehouse(root, options, (paths) =>
      withWarehouse(
        paths.warehouse,
        async (connection) => {
          const ledger = new LedgerReader(connection);
          const outcome = await reconcile({ ledger, witnesses, addresses, at, isPending });
          const { isStrict } = loaded.pipeline.reconcile;
          if (isStrict) await withdrawDifferences(lake, connection, outcome);
          if (options.addsNodeRows === true) {
            const head = shared().witness_head ?? 0;
            const around = { lake, connection, witnesses, head, readAtMs };
            nodeRows = await landNodeRows(outcome.findings, around);
          }
          return outcome;
        },
        root,
      ),
    );
    const cells = shared();
    const landed = rows.map((row): LandedReconciliation => ({ ...row, ...cells }));
    const named = findings.map(({ places: _, ...finding }) => ({ ...finding, chain: cells.chain }));
    await landReconciled(lake, landed, named, readAtMs);
    await locked(lake.layout.lock, effects, (disk) =>
      publishWarehouse({ lake, effects, disk, ifMoved: true }),
    );
    const reports = witnesses.reports();
    const read_at = new Date(readAtMs).toISOString();
    const verdicts = { agrees: 0, differs: 0, explained: 0, not_checked: 0 };
    for (const { verdict } of landed) verdicts[verdict] += 1;
    const isBlind = !reports.some(isUsed);
    const isPartial = isBlind || verdicts.not_checked > 0;
    return {
      reconciliations: landed.map((row) => ({ ...row, read_at })),
      findings: [
        ...named.map((finding) => ({ ...finding, read_at })),
        ...open.map((finding) => ({ ...finding, chain: cells.chain })),
      ],
      verdicts,
      nodeRows,
      calls: witnesses.calls,
      requests: witnesses.requests,
      witnesses: reports,
      exitCode: verdicts.differs > 0 ? 4 : isPartial ? 3 : 0,
    };
  } finally {
    await opened.close();
  }
}

function noWitness(): Fault {
  return new Fault('configuration', 'The pipeline names no node to reconcile with.', {
    advice: 'Add witness: { url: ... } with the JSON-RPC address of a node of the primary chain.',
  });
}

function addressesOf({ loaded, addresses }: ReconcileOptions): readonly string[] {
  const keys = new Set(Object.values(loaded.keys).flat());
  if (addresses === undefined) return [...keys].sort();
  const wanted = addresses.map((address) => address.toLowerCase());
  const stranger = wanted.find((address) => !keys.has(address));
  if (stranger === undefined) return wanted;
  throw new Fault('usage', `The pipeline does not request the address ${stranger}.`, {
    advice: 'Name an address of its key sets, or add the address to one and run it.',
  });
}

/**
 * Reconciles where the last time is longer ago than the pipeline allows, or where the run has read
 * the withdrawn block of a difference again. Returns undefined where neither is so, and where it
 * fails: the records of the run have landed, so the fault is logged.
 */
export async function reconcileIfDue(
  options: ReconcileOptions,
  lake: Lake,
): Promise<Reconciliation | undefined> {
  const { effects, loaded } = options;
  const { everyMs = 0, isStrict } = loaded.pipeline.reconcile;
  try {
    const [lastMs, differs] = await withWarehouse(lake.layout.warehouse, async (connection) => {
      const sql = `SELECT epoch_ms(max(read_at)), EXISTS (
        FROM reconciliation_findings SEMI JOIN known.followed USING (address)
        WHERE verdict = 'differs') FROM lake.reconciliations`;
      return (await connection.runAndReadAll(sql)).getRows()[0] ?? [];
    });
    const isRecent = typeof lastMs === 'bigint' && effects.now() - Number(lastMs) < everyMs;
    if (isRecent && !(isStrict && differs === true)) return undefined;
    return await reconcileLake(options, lake);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    effects.log('warn', `The ledger was not reconciled: ${error.paragraph()}`);
    return undefined;
  }
}
