import { codeAt, hex } from '../../fetch/witness/question.ts';
import type { NodeReading, Witnesses } from '../../fetch/witness/witnesses.ts';
import { compareBlocks, compareReceipts } from './block-samples.ts';
import { ChainBlocks } from './chain-blocks.ts';
import { firstDifferences, type OpenCase } from './first-difference.ts';
import type { Candidate, LedgerReader } from './ledger.ts';
import { type Balanced, placesOfTokens } from './places.ts';
import { assetCells, type FindingRow, type OpenFinding, type ReconciliationRow } from './rows.ts';
import {
  assumedOpening,
  type BalanceSubject,
  balanceQuestion,
  openingHeight,
  smallestUnits,
} from './subject.ts';

export interface ReconcileInputs {
  readonly ledger: LedgerReader;
  readonly witnesses: Witnesses;
  readonly addresses: readonly string[];
  /** The last block; default: the last one that is complete. */
  readonly at: number | undefined;
  /** The nodes answer about their pending state alone. */
  readonly isPending: boolean;
}

export interface Reconciled {
  readonly rows: readonly ReconciliationRow[];
  readonly findings: readonly FindingRow[];
  /** Those of earlier reconciliations whose blocks are not complete since. They have landed. */
  readonly open: readonly OpenFinding[];
}

export const LAST_HEIGHT = 2 ** 31 - 1;
/** Nodes without an archive keep the state of about this many blocks. */
const RECENT_BLOCKS = 64;
/** Sampled blocks for each asset of an address, and all in all. */
const BLOCKS_PER_SUBJECT = 3;
const MOST_BLOCKS = 1_000;
const MOST_RECEIPTS = 100;

/**
 * Compares the balances that nodes state with the ledger: opening balance and sum of the movements
 * against closing balance, for each asset of each address, and a sample of blocks and receipts.
 */
export async function reconcile(inputs: ReconcileInputs): Promise<Reconciled> {
  const { ledger, witnesses, addresses, isPending } = inputs;
  const head = await witnesses.open();
  const all = await ledger.candidates(addresses, inputs.at ?? LAST_HEIGHT);
  const highest = Math.max(0, ...all.map(({ subject: { to } }) => to));
  const at = Math.min(highest, head ?? highest);
  const candidates = at < highest ? await ledger.candidates(addresses, at) : all;
  witnesses.needHead(at, highest);
  const earlier = await ledger.openFindings(at);
  const open = new Set<OpenFinding>();
  const whole: Candidate[] = [];
  const lacking: ReconciliationRow[] = [];
  for (const candidate of candidates) {
    const left = earlier.filter((finding) => isLeft(finding, candidate));
    for (const finding of left) open.add(finding);
    const [first] = left;
    const { subject, lacking: why } = candidate;
    if (first !== undefined) lacking.push(stillDiffers(subject, first));
    else if (why !== undefined) lacking.push(notChecked(subject, why));
    else whole.push(candidate);
  }
  if (isPending) {
    const rows = [...lacking, ...(await pendingRows(inputs, whole))];
    return { open: [...open], findings: [], rows };
  }
  const { length } = candidates.filter((candidate) => candidate.lacking === undefined);
  const most = Math.min(MOST_BLOCKS, BLOCKS_PER_SUBJECT * length);
  const blocks = await compareBlocks(witnesses, await ledger.blocks(at, most));
  if (blocks.isAnotherChain) witnesses.refuse('its blocks are not those of the lake');
  const sample = await ledger.receipts(at, Math.min(MOST_RECEIPTS, length));
  const receipts = await compareReceipts(witnesses, sample);
  const assets = await reconcileAssets(inputs, whole);
  return {
    rows: [...lacking, ...assets.rows, blocks.row, receipts.row],
    findings: [...assets.findings, ...blocks.findings, ...receipts.findings],
    open: [...open],
  };
}

/** Whether an earlier finding is one of the candidate, and not within its range. */
function isLeft(finding: OpenFinding, { subject, lacking }: Candidate): boolean {
  const { address, asset_kind: kind, token_address: token, token_id: id, block_number } = finding;
  const heights = [block_number, finding.ledger_block ?? block_number];
  const isOne = address === subject.address && kind === subject.kind;
  if (!isOne || token !== subject.token || id !== subject.tokenId) return false;
  return lacking !== undefined || heights.some((at) => at < subject.from || at > subject.to);
}

async function reconcileAssets(
  { ledger, witnesses }: ReconcileInputs,
  candidates: readonly Candidate[],
): Promise<Omit<Reconciled, 'open'>> {
  const subjects = candidates.map(({ subject }) => subject);
  const balanced = await balances(subjects, ledger, witnesses);
  const places = await placesOfTokens(balanced, ledger, witnesses);
  const rows: ReconciliationRow[] = [];
  const open: { row: ReconciliationRow; start: OpenCase }[] = [];
  for (const balance of balanced) {
    const { subject, opening, closing, sum, calls, note } = balance;
    if ('reason' in opening || 'reason' in closing) {
      const { reason } = ('reason' in closing ? closing : opening) as { reason: string };
      if (subject.isHeld) rows.push({ ...notChecked(subject, reason), calls });
      continue;
    }
    const scale = places(subject);
    const moved = smallestUnits(sum, scale);
    if (moved === undefined) {
      const why = `the ledger states ${sum}, and the token has ${scale} decimal places`;
      rows.push({ ...notChecked(subject, why), calls });
      continue;
    }
    const difference = closing.value - opening.value - moved;
    if (!subject.isHeld && difference === 0n) continue;
    const figures = { opening: opening.value, moved, closing: closing.value };
    const row = { ...comparedRow(subject, figures), cause: note, calls };
    if (difference === 0n) {
      rows.push(row);
      continue;
    }
    const low = openingHeight(subject);
    const search = { base: 0n, low, high: subject.to, highError: difference };
    const start = { subject, places: scale, opening: opening.value, search, calls };
    open.push({ row, start });
  }
  const contracts = await contractNonces(open, witnesses);
  const cases = open.filter(({ row }) => !contracts.includes(row));
  const blocks = new ChainBlocks(witnesses);
  const closed = await firstDifferences(
    cases.map(({ start }) => start),
    { witnesses, blocks, ledger },
  );
  for (const row of contracts) {
    rows.push({ ...row, verdict: 'explained', cause: CONTRACT_NONCE, calls: row.calls + 1 });
  }
  const findings: FindingRow[] = [];
  for (const [nth, { verdict, cause, findings: more, calls }] of closed.entries()) {
    const { row, start } = cases[nth] ?? {};
    if (row === undefined || start === undefined) continue;
    rows.push({
      ...row,
      verdict,
      cause: [row.cause, cause].filter(Boolean).join('; ') || null,
      calls,
    });
    findings.push(...more.map((finding) => ({ ...finding, places: start.places })));
  }
  return { rows, findings };
}

const CONTRACT_NONCE = 'contract nonce';
/** The code of an account that delegates to a contract, and still sends transactions. */
const DELEGATION = '0xef0100';

/** Rows of nonces of contracts, which count the contracts that they created. */
async function contractNonces(
  open: readonly { readonly row: ReconciliationRow; readonly start: OpenCase }[],
  witnesses: Witnesses,
): Promise<ReconciliationRow[]> {
  const idle = open.filter(({ row, start }) => start.subject.kind === 'nonce' && row.moved === '0');
  const codes = await witnesses.ask(
    idle.map(({ start: { subject } }) => codeAt(subject.address, hex(subject.to))),
  );
  return idle.flatMap(({ row }, at) => {
    const code = codes[at];
    const text = code !== undefined && 'value' in code ? code.value : '0x';
    return text === '0x' || text.startsWith(DELEGATION) ? [] : [row];
  });
}

/** The balances of the subjects; of the newest blocks alone where the nodes keep no older ones. */
async function balances(
  subjects: readonly BalanceSubject[],
  ledger: LedgerReader,
  witnesses: Witnesses,
): Promise<Balanced[]> {
  const closings = await witnesses.ask(
    subjects.map((subject) => balanceQuestion(subject, subject.to, true)),
  );
  const openings = await openingsOf(subjects, witnesses);
  const recent = subjects.map((subject, at) => {
    const [opening, closing] = [openings[at], closings[at]];
    const isPruned = opening !== undefined && 'reason' in opening;
    const from = subject.to - RECENT_BLOCKS + 1;
    if (!isPruned || closing === undefined || 'reason' in closing) return undefined;
    return from > subject.from ? { ...subject, from } : undefined;
  });
  const shorter = recent.filter((subject) => subject !== undefined);
  const later = await openingsOf(shorter, witnesses);
  const compared = subjects.map((subject, at) => recent[at] ?? subject);
  const sums = await ledger.sums(compared.map((subject) => ({ subject, height: subject.to })));
  const none = { reason: 'no answer' };
  return compared.map((subject, at) => {
    const isShorter = recent[at] !== undefined;
    const opening = isShorter ? later[shorter.indexOf(subject)] : openings[at];
    const height = openingHeight(subjects[at] ?? subject);
    return {
      subject,
      opening: opening ?? none,
      closing: closings[at] ?? none,
      sum: sums[at] ?? '0',
      calls: isShorter ? 3 : 2,
      note: isShorter ? `only the newest blocks: no witness keeps the state of ${height}` : null,
    };
  });
}

async function openingsOf(
  subjects: readonly BalanceSubject[],
  witnesses: Witnesses,
): Promise<readonly NodeReading<bigint>[]> {
  const answers = await witnesses.ask(
    subjects.map((subject) => balanceQuestion(subject, openingHeight(subject))),
  );
  return subjects.map((subject, at) => {
    const answer = answers[at] ?? { reason: 'no answer' };
    const assumed = assumedOpening(subject);
    return 'reason' in answer && assumed !== undefined ? { value: assumed } : answer;
  });
}

/** Native balances and nonces against the pending state, which alone proves no difference. */
async function pendingRows(
  { ledger, witnesses }: ReconcileInputs,
  candidates: readonly Candidate[],
): Promise<ReconciliationRow[]> {
  const subjects = candidates
    .map(({ subject }) => subject)
    .filter(({ kind, from }) => (kind === 'native' || kind === 'nonce') && from === 0);
  const readings = await witnesses.ask(
    subjects.map((subject) => balanceQuestion(subject, 'pending')),
  );
  const sums = await ledger.sums(subjects.map((subject) => ({ subject, height: LAST_HEIGHT })));
  return subjects.map((subject, at): ReconciliationRow => {
    const reading = readings[at] ?? { reason: 'no answer' };
    if ('reason' in reading) return { ...notChecked(subject, reading.reason), calls: 1 };
    const moved = smallestUnits(sums[at] ?? '0', subject.kind === 'native' ? 18 : 0) ?? 0n;
    const row = comparedRow(subject, { opening: 0n, moved, closing: reading.value });
    if (moved === reading.value) return { ...row, calls: 1 };
    const cause = 'the pending state alone does not say since when it differs';
    return { ...row, verdict: 'not_checked', cause, calls: 1 };
  });
}

/** A row of balances that agree, until a difference is explained. */
function comparedRow(
  subject: BalanceSubject,
  { opening, moved, closing }: Readonly<Record<'opening' | 'moved' | 'closing', bigint>>,
): ReconciliationRow {
  return {
    ...subjectCells(subject),
    opening: String(opening),
    moved: String(moved),
    closing: String(closing),
    expected: String(opening + moved),
    difference: String(closing - opening - moved),
    verdict: 'agrees',
    cause: null,
    calls: 0,
  };
}

function subjectCells(subject: BalanceSubject) {
  return { ...assetCells(subject), from_block: subject.from, to_block: subject.to };
}

/** A difference stays until a comparison includes its block. */
function stillDiffers(subject: BalanceSubject, { block_number: block }: OpenFinding) {
  const cause = `block ${block} differed, and is not complete since then`;
  return { ...notChecked(subject, cause), verdict: 'differs' as const };
}

function notChecked(subject: BalanceSubject, cause: string): ReconciliationRow {
  const unknown = { opening: null, moved: null, closing: null, expected: null, difference: null };
  return { ...subjectCells(subject), ...unknown, verdict: 'not_checked', cause, calls: 0 };
}
