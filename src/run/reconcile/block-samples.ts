import { blockHead, receiptOf } from '../../fetch/witness/question.ts';
import type { Witnesses } from '../../fetch/witness/witnesses.ts';
import type { LandedBlock, LandedReceipt } from './ledger.ts';
import { type FindingRow, namelessFinding, type ReconciliationRow } from './rows.ts';

/** The comparison of a sample: a row of counts, and its findings. */
export interface SampleResult {
  readonly row: ReconciliationRow;
  readonly findings: readonly FindingRow[];
  /** Whether the chain has none of the block hashes of the lake. */
  readonly isAnotherChain: boolean;
}

/** Compares landed blocks with the chain: their hash, their count, and their transactions. */
export async function compareBlocks(
  witnesses: Witnesses,
  blocks: readonly LandedBlock[],
): Promise<SampleResult> {
  const readings = await witnesses.ask(blocks.map(({ height }) => blockHead(height)));
  const findings: FindingRow[] = [];
  const strangers: LandedReceipt[] = [];
  let [compared, hashes, wrong, reason] = [0, 0, 0, ''];
  for (const [at, block] of blocks.entries()) {
    const reading = readings[at];
    if (reading === undefined || 'reason' in reading || reading.value === null) {
      reason = reading && 'reason' in reading ? reading.reason : 'a block is not there';
      continue;
    }
    compared += 1;
    const { height, hash, transactions } = block;
    const head = reading.value;
    if (hash !== null) hashes += 1;
    if (hash !== null && hash !== head.hash) {
      wrong += 1;
      findings.push(blockFinding(height, { amount: head.hash, ledger_amount: hash }));
      continue;
    }
    const count = head.hashes.length;
    if (transactions !== null && transactions !== count) {
      const counts = { amount: String(count), ledger_amount: String(transactions) };
      findings.push(blockFinding(height, counts));
    }
    const present = new Set(head.hashes);
    for (const { txHash, address } of block.records) {
      if (!present.has(txHash)) strangers.push({ txHash, height, address, status: '' });
    }
  }
  const located = await compareReceipts(witnesses, strangers);
  for (const finding of located.findings) findings.push({ ...finding, asset_kind: 'blocks' });
  const calls = blocks.length + strangers.length;
  return {
    row: sampleRow('blocks', blocks, findings, { compared, calls, reason }),
    findings,
    isAnotherChain: hashes > 0 && wrong === hashes,
  };
}

function blockFinding(height: number, amounts: Partial<FindingRow>): FindingRow {
  return { ...unaddressed('blocks', height), what: 'changed', leg: 'block', ...amounts };
}

function unaddressed(kind: 'blocks' | 'receipts', height: number, address: string | null = null) {
  const subject = { address: address ?? '', kind: 'nonce', token: null, tokenId: null } as const;
  return { ...namelessFinding(subject, height, ''), address, asset_kind: kind };
}

/** Compares landed transactions with their receipts: their status and their block. */
export async function compareReceipts(
  witnesses: Witnesses,
  transactions: readonly LandedReceipt[],
): Promise<SampleResult> {
  const readings = await witnesses.ask(transactions.map(({ txHash }) => receiptOf(txHash)));
  const findings: FindingRow[] = [];
  let [compared, reason] = [0, ''];
  for (const [at, { txHash, height, address, status }] of transactions.entries()) {
    const reading = readings[at];
    if (reading === undefined || 'reason' in reading) {
      reason = reading?.reason ?? '';
      continue;
    }
    compared += 1;
    const receipt = reading.value;
    const base = {
      ...unaddressed('receipts', receipt?.height ?? height, address),
      tx_hash: txHash,
    };
    const finding = { ...base, leg: 'value', ledger_block: height };
    if (receipt === null) findings.push({ ...finding, what: 'extra' });
    else if (receipt.height !== height) findings.push({ ...finding, what: 'moved' });
    else if (status !== '' && (status === 'success') !== receipt.isSuccess) {
      const amount = receipt.isSuccess ? 'success' : 'fail';
      findings.push({ ...finding, what: 'changed', amount, ledger_amount: status });
    }
  }
  const counts = { compared, calls: transactions.length, reason };
  const row = sampleRow('receipts', transactions, findings, counts);
  return { row, findings, isAnotherChain: false };
}

function sampleRow(
  kind: 'blocks' | 'receipts',
  sampled: readonly { readonly height: number }[],
  findings: readonly FindingRow[],
  { compared, calls, reason }: { compared: number; calls: number; reason: string },
): ReconciliationRow {
  const heights = sampled.map(({ height }) => height);
  const bad = new Set(findings.map(({ tx_hash, block_number }) => tx_hash ?? block_number)).size;
  const isRead = compared === sampled.length && compared > 0;
  const why = sampled.length === 0 ? 'no records have landed' : reason;
  return {
    ...{ address: null, asset_kind: kind, token_address: null, token_id: null },
    from_block: heights.reduce((low, height) => Math.min(low, height), heights[0] ?? 0),
    to_block: heights.reduce((high, height) => Math.max(high, height), 0),
    opening: null,
    moved: String(sampled.length),
    closing: String(compared - bad),
    expected: String(compared),
    difference: String(-bad),
    verdict: bad > 0 ? 'differs' : isRead ? 'agrees' : 'not_checked',
    cause: bad > 0 || isRead ? null : why,
    calls,
  };
}
