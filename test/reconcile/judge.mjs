import { assetKey } from './ledger.mjs';

/** The judge of a document of `windrow reconcile --json`: problems as texts, none where it is right. */

const MOST_CALLS = { agrees: 6, explained: 40, differs: 40 };
/** The name of a finding by the kind of a fault. */
const NAMES = {
  dropped: 'missing',
  whole: 'missing',
  doubled: 'extra',
  changed: 'changed',
  fee: 'changed',
};

const slotOf = ({ address, asset_kind: kind, token_address: token, token_id: id }) =>
  `${address} ${assetKey({ kind, token, id })}`;

/** Rows and findings against the truth of each address and asset, and against the faults. */
export function documentProblems({ reconciliations, findings }, truth, faults = []) {
  const groups = grouped(findings, slotOf);
  const rows = grouped(reconciliations, slotOf);
  const bySlot = new Map(
    faults.filter(changesSums).flatMap((fault) => fault.slots.map((slot) => [slot, fault])),
  );
  const problems = [];
  for (const [slot, fact] of truth) {
    const [row, ...more] = rows.get(slot) ?? [];
    const fault = bySlot.get(slot);
    if (row === undefined && fact.isHeld) continue;
    const wrong =
      row === undefined || more.length > 0
        ? [`${more.length === 0 ? 'no row' : 'several rows'}`]
        : fault === undefined
          ? rowProblems(row, fact)
          : faultProblems(row, fault, groups.get(slot));
    problems.push(...wrong.map((text) => `${slot}: ${text}`));
  }

  // Moves change no sum: the blocks of the node lack the transaction.
  const moves = faults.filter(({ kind }) => kind === 'moved');
  for (const fault of moves) {
    if (!findings.some((finding) => isMove(finding, fault))) {
      problems.push(`${faultText(fault)} was not found`);
    }
  }
  for (const finding of findings.filter(({ verdict }) => verdict === 'explained')) {
    if (truth.get(slotOf(finding))?.cause !== undefined) continue;
    problems.push(`false explanation: ${JSON.stringify(finding)}`);
  }
  for (const finding of findings.filter(({ verdict }) => verdict === 'differs')) {
    const isTrue =
      bySlot.get(slotOf(finding))?.hash === finding.tx_hash ||
      moves.some((fault) => isMove(finding, fault));
    if (!isTrue) problems.push(`false finding: ${JSON.stringify(finding)}`);
  }
  for (const row of reconciliations.filter(({ address }) => address === null)) {
    if (row.verdict === 'agrees' || (row.verdict === 'differs' && moves.length > 0)) continue;
    problems.push(`${row.asset_kind}: ${row.verdict}, ${row.cause}`);
  }
  for (const [slot, [{ address, verdict }]] of rows) {
    const isUnknown = address !== null && !truth.has(slot) && verdict !== 'not_checked';
    if (isUnknown) problems.push(`an unexpected row ${slot}`);
  }
  return problems;
}

function grouped(list, keyOf) {
  const groups = new Map();
  for (const row of list) groups.set(keyOf(row), [...(groups.get(keyOf(row)) ?? []), row]);
  return groups;
}

/** A finding names the transaction, its true block, and the block in which the lists have it. */
function isMove({ what, block_number, tx_hash, ledger_block }, { hash, height, changes, record }) {
  const [other] = changes.get(record);
  const places = [tx_hash, block_number, ledger_block].join();
  return what === 'moved' && places === [hash, height, other.height].join();
}

/** A move changes no sum of the whole range. */
function changesSums({ kind }) {
  return kind !== 'moved';
}

function faultText({ kind, list, height, hash }) {
  return `${list} ${kind} in block ${height}, ${hash}`;
}

function rowProblems(row, { opening, closing, moved, difference, cause }) {
  const verdict = difference === 0n ? 'agrees' : 'explained';
  const problems = [];
  if (row.verdict !== verdict) problems.push(`${row.verdict} (${row.cause}), not ${verdict}`);
  else if (verdict === 'explained' && !String(row.cause).includes(cause)) {
    problems.push(`explained by ${row.cause}, not by ${cause}`);
  }
  const figures = { opening, closing, moved, expected: opening + moved, difference };
  for (const [name, figure] of Object.entries(figures)) {
    if (row[name] !== String(figure)) problems.push(`${name} is ${row[name]}, not ${figure}`);
  }
  return problems;
}

function faultProblems(row, fault, findings = []) {
  if (row.verdict !== 'differs') return [`${row.verdict} in spite of ${faultText(fault)}`];
  if (findings.some((finding) => fits(finding, fault))) return [];
  return [`${faultText(fault)} was found as ${JSON.stringify(findings)}`];
}

/** A finding names the block, the transaction, the kind and the exact amount of a fault. */
function fits(finding, { kind, height, hash, record, changes }) {
  const { block_number, tx_hash, what, leg } = finding;
  if (block_number !== height || tx_hash !== hash || what !== NAMES[kind]) return false;
  if (kind === 'whole' || leg === 'nonce') return true;
  const isFee = leg === 'fee';
  const [other] = changes.get(record);
  const amount = (move) => String(isFee ? move.fee : move.raw);
  if (kind !== 'doubled' && finding.amount !== amount(record)) return false;
  return !['changed', 'fee'].includes(kind) || finding.ledger_amount === amount(other);
}

/** Faults whose row does not differ, or whose block no finding of the row names. */
export function blockProblems({ reconciliations, findings }, faults) {
  const rows = grouped(reconciliations, slotOf);
  const groups = grouped(findings, slotOf);
  return faults.filter(changesSums).flatMap((fault) =>
    fault.slots.flatMap((slot) => {
      const [row] = rows.get(slot) ?? [];
      const heights = (groups.get(slot) ?? []).map(({ block_number }) => block_number);
      if (row?.verdict === 'differs' && heights.includes(fault.height)) return [];
      return [`${slot}: ${faultText(fault)} is ${row?.verdict}, found in ${heights}`];
    }),
  );
}

/** Calls to the node, by row and as the proxy counted them. */
export function callProblems(document, counted) {
  const problems = [];
  let most = 0;
  for (const row of document.reconciliations) {
    // Samples of blocks are shared by all rows of addresses, so they add nothing.
    const limit = row.address === null ? 0 : (MOST_CALLS[row.verdict] ?? 0);
    most += limit;
    if (row.address !== null && row.calls > limit)
      problems.push(`${slotOf(row)}: ${row.verdict} after ${row.calls} calls`);
  }
  if (counted > most) problems.push(`${counted} calls, at most ${most} are allowed`);
  if (document.calls !== counted)
    problems.push(`${document.calls} calls are stated, not ${counted}`);
  return problems;
}

/**
 * Rows that agree although the chain has other balances at their heights; `balanceOf` and `movedOf`
 * are the truth of an asset of an address.
 */
export async function falseAgreements(document, balanceOf, movedOf) {
  const problems = [];
  for (const row of document.reconciliations) {
    if (row.verdict !== 'agrees' || row.address === null) continue;
    const { address, from_block: from, to_block: to } = row;
    const asset = { kind: row.asset_kind, token: row.token_address, id: row.token_id };
    const opening = await balanceOf(asset, address, Math.max(0, from - 1));
    const closing = await balanceOf(asset, address, to);
    const moved = movedOf(address, assetKey(asset), from, to);
    if (opening + moved !== closing || row.closing !== String(closing)) {
      problems.push(`${slotOf(row)} agrees: ${opening} + ${moved} is not ${closing}`);
    }
  }
  return problems;
}
