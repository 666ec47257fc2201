import type { Advice } from '../../fault.ts';
import type { LandedReconciliation } from '../../run/reconcile/land-reconciled.ts';
import type { Reconciliation } from '../../run/shell/reconcile-run.ts';
import { counted, many } from './console.ts';

/** Rows of one verdict that are shown as lines; --json has all of them. */
const SHOWN_ROWS = 20;

/** The result for people: a line of counts, then differences and reasons. */
export function reconcileLines(result: Omit<Reconciliation, 'exitCode'>): Advice[] {
  const { reconciliations, findings, verdicts, nodeRows, calls, requests, witnesses } = result;
  const { agrees, differs, explained, not_checked: open } = verdicts;
  const lines: Advice[] = [
    `Reconciled ${many(reconciliations.length, 'asset')}: ${counted(agrees)} agree, ` +
      `${counted(differs)} differ, ${counted(explained)} explained, ${counted(open)} not checked ` +
      `(${many(calls, 'call')}, ${many(requests, 'request')}).`,
  ];
  if (nodeRows > 0) lines.push(`${many(nodeRows, 'row')} of the node landed beside the lists.`);
  for (const { url, status, reason } of witnesses) {
    if (status !== 'used') lines.push(`Witness ${url} ${status.replace('_', ' ')}: ${reason}.`);
  }
  for (const verdict of ['differs', 'explained', 'not_checked'] as const) {
    const rows = reconciliations.filter((row) => row.verdict === verdict);
    for (const row of rows.slice(0, SHOWN_ROWS)) lines.push(rowLine(row));
    const more = rows.length - SHOWN_ROWS;
    if (more > 0) lines.push(`... and ${counted(more)} more (${verdict}).`);
  }
  for (const { what, leg, block_number, tx_hash, amount, ledger_amount } of findings.slice(
    0,
    SHOWN_ROWS,
  )) {
    const place = `block ${block_number}${tx_hash === null ? '' : `, ${tx_hash}`}`;
    const ledger = ledger_amount === null ? '' : `, in the ledger ${ledger_amount}`;
    lines.push(`  ${what} ${leg} at ${place}: ${amount ?? 'nothing'}${ledger}.`);
  }
  return lines;
}

function rowLine(row: LandedReconciliation): string {
  const { address, asset_kind: kind, token_address: token, verdict, cause, difference } = row;
  const asset = token === null ? kind : `${kind} ${token}`;
  const reason = cause === null ? '' : ` (${cause})`;
  const by = verdict === 'differs' && difference !== null ? ` by ${difference}` : '';
  return `${verdict.toUpperCase()} ${address ?? 'sample'} ${asset}${by}${reason}`;
}
