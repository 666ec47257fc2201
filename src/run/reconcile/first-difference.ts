import { gainOf } from '../../fetch/witness/movement.ts';
import type { Witnesses } from '../../fetch/witness/witnesses.ts';
import type { ChainBlocks, ChainMovements } from './chain-blocks.ts';
import { differencesOf, type MovementDifference } from './differences.ts';
import type { LedgerReader } from './ledger.ts';
import {
  type FindingRow,
  findingOf,
  isUnlisted,
  namelessFinding,
  type ReconcileVerdict,
  UNLISTED,
} from './rows.ts';
import { type BalanceSubject, balanceQuestion, smallestUnits } from './subject.ts';

/**
 * The look for the first block at which a balance differs from the ledger. The error of a height is
 * the balance less the ledger; it is `base` at `low`, and another one at `high`.
 */
export interface Search {
  readonly base: bigint;
  readonly low: number;
  readonly high: number;
  readonly highError: bigint;
}

/** The next height to read; undefined when `high` is the block of the difference. */
export function nextHeight({ low, high }: Search): number | undefined {
  return high - low > 1 ? low + Math.floor((high - low) / 2) : undefined;
}

export function narrowed(search: Search, height: number, error: bigint): Search {
  return error === search.base
    ? { ...search, low: height }
    : { ...search, high: height, highError: error };
}

/** A subject whose closing balance differs from its ledger. */
export interface OpenCase {
  readonly subject: BalanceSubject;
  /** Decimal places of the amounts in the ledger. */
  readonly places: number;
  readonly opening: bigint;
  readonly search: Search;
  readonly calls: number;
}

/** A case with its verdict. */
export interface ClosedCase {
  readonly verdict: Exclude<ReconcileVerdict, 'agrees'>;
  readonly cause: string | null;
  readonly findings: readonly FindingRow[];
  readonly calls: number;
}

interface Surroundings {
  readonly witnesses: Witnesses;
  readonly blocks: ChainBlocks;
  readonly ledger: LedgerReader;
}

/** Most calls for one subject, and those that are kept for the contents of a block. */
const MOST_CALLS = 40;
const KEPT_CALLS = 8;

const WITHOUT_TRANSFERS = 'token moves without transfers';
const WITHOUT_MOVE = 'transfer without a move';

/** A case under way. */
interface Going {
  readonly start: OpenCase;
  now: OpenCase;
  findings: readonly FindingRow[];
  /** Why a balance that the search needs is not known. */
  stuck?: string;
  closed?: ClosedCase | undefined;
}

/**
 * Finds the first difference of each case by bisection, side by side: a round asks for one balance
 * of each. A difference by a class of movements that no list shows is passed, and the look goes on
 * behind it as far as calls are left. The results are in the order of the cases.
 */
export async function firstDifferences(
  cases: readonly OpenCase[],
  around: Surroundings,
): Promise<ClosedCase[]> {
  const all = cases.map((start): Going => ({ start, now: start, findings: [] }));
  for (let open = all; open.length > 0; open = open.filter((one) => one.closed === undefined)) {
    await bisect(open, around);
    for (const one of open) one.closed = await closedAt(one, around);
  }
  return all.flatMap(({ closed }) => closed ?? []);
}

const MOST_ROUNDS = (low: number, high: number): number => Math.ceil(Math.log2(high - low + 1));

/** The end of a case at the block of its search; undefined where the look goes on behind it. */
async function closedAt(one: Going, around: Surroundings): Promise<ClosedCase | undefined> {
  const { start, now, stuck } = one;
  if (stuck !== undefined) return withoutBlock(one, stuck);
  const { high } = now.search;
  const explained = await explain(now, around);
  const { cause } = explained;
  const calls = now.calls + explained.calls;
  one.findings = [...one.findings, ...explained.findings];
  const isPassed = explained.verdict === 'explained' && now.subject.kind === 'native';
  const searched = { ...now.search, low: high, base: now.search.highError };
  const isLast = !isPassed || searched.base === start.search.highError;
  const { to } = now.subject;
  if (isLast || high >= to || calls + MOST_ROUNDS(high, to) + KEPT_CALLS > MOST_CALLS) {
    const until = isLast || high >= to ? '' : ` (looked for up to block ${high})`;
    // The blocks behind may hide a difference.
    const verdict = until ? 'not_checked' : explained.verdict;
    return { verdict, cause: cause && cause + until, findings: one.findings, calls };
  }
  const search = { ...searched, high: to, highError: start.search.highError };
  one.now = { ...now, search, calls };
  return undefined;
}

/** Narrows all searches to one block. */
async function bisect(going: readonly Going[], { witnesses, ledger }: Surroundings): Promise<void> {
  for (;;) {
    const round = going.flatMap((one) => {
      const height = one.stuck === undefined ? nextHeight(one.now.search) : undefined;
      return height === undefined ? [] : [{ one, height, subject: one.now.subject }];
    });
    if (round.length === 0) return;
    const readings = await witnesses.ask(
      round.map(({ subject, height }) => balanceQuestion(subject, height)),
    );
    const sums = await ledger.sums(round);
    for (const [at, { one, height }] of round.entries()) {
      const reading = readings[at];
      const moved = smallestUnits(sums[at] ?? '0', one.now.places) ?? 0n;
      const { opening, search, calls } = one.now;
      if (reading === undefined || 'reason' in reading) {
        one.stuck = `no balance of block ${height}: ${reading?.reason}`;
        continue;
      }
      const error = reading.value - opening - moved;
      one.now = { ...one.now, search: narrowed(search, height, error), calls: calls + 1 };
    }
  }
}

function withoutBlock({ now, findings }: Going, reason: string): ClosedCase {
  const { low, high, base, highError } = now.search;
  const cause = `in the blocks ${low + 1} to ${high}; ${reason}`;
  const amount = String(highError - base);
  const finding = namelessFinding(now.subject, high, 'unnamed', { amount });
  return { verdict: 'differs', cause, findings: [...findings, finding], calls: now.calls };
}

/** Names the movements of the block in which a balance first differs. */
async function explain(
  { subject, places, search }: OpenCase,
  { blocks, ledger }: Surroundings,
): Promise<ClosedCase> {
  const { high, highError, base } = search;
  const inLedger = await ledger.movements(subject, places, high, high);
  const hashes = inLedger.flatMap(({ txHash }) => txHash ?? []);
  const onChain = await blocks.movements(subject, high, hashes);
  const { calls } = onChain;
  const error = highError - base;
  if (onChain.reason !== undefined) {
    const finding = namelessFinding(subject, high, 'unnamed', { amount: String(error) });
    return { verdict: 'differs', cause: onChain.reason, findings: [finding], calls };
  }
  const differences = differencesOf(subject.address, onChain.movements, inLedger).filter(
    ({ inLedger: record, onChain: movement }) =>
      onChain.hasInternal || (movement ?? record)?.leg !== 'internal',
  );
  const rest = error - differences.reduce((sum, { effect }) => sum + effect, 0n);
  const findings = differences.map((difference) => findingOf(subject, difference));
  if (subject.kind !== 'native' && subject.kind !== 'nonce') {
    return ofToken(subject, { height: high, places, rest, onChain, findings }, { blocks, ledger });
  }
  if (rest !== 0n) findings.push(restOf(subject, high, rest, onChain));
  const isExplained = findings.every(({ verdict }) => verdict === 'explained');
  const cause = findings.find(({ verdict }) => verdict === 'explained')?.what ?? null;
  const isUntraced = rest !== 0n && !onChain.hasInternal;
  return {
    verdict: isExplained ? 'explained' : 'differs',
    cause: isUntraced ? 'the witness does not trace calls inside of transactions' : cause,
    findings,
    calls,
  };
}

const OTHER_NONCE = 'contract nonce';

/** The part of a difference that no movement of the block explains. */
function restOf(
  subject: BalanceSubject,
  height: number,
  rest: bigint,
  { movements, hasInternal }: ChainMovements,
): FindingRow {
  const amount = String(rest);
  if (subject.kind === 'nonce') {
    return namelessFinding(subject, height, OTHER_NONCE, { amount, verdict: 'explained' });
  }
  const isReward = hasInternal && movements.some(isUnlisted);
  if (!isReward) return namelessFinding(subject, height, 'unnamed', { amount });
  return namelessFinding(subject, height, UNLISTED, {
    amount,
    leg: 'reward',
    verdict: 'explained',
  });
}

interface TokenBlock {
  readonly height: number;
  readonly places: number;
  readonly rest: bigint;
  readonly onChain: ChainMovements;
  readonly findings: readonly FindingRow[];
}

/**
 * The verdict on a token. Where its events in the block are those of the ledger, its balance does
 * not follow its events: then all of its events are compared with the ledger instead.
 */
async function ofToken(
  subject: BalanceSubject,
  { height, places, rest, onChain, findings }: TokenBlock,
  { blocks, ledger }: Pick<Surroundings, 'blocks' | 'ledger'>,
): Promise<ClosedCase> {
  const { calls } = onChain;
  if (rest === 0n) return { verdict: 'differs', cause: null, findings, calls };
  const { movements } = onChain;
  const stated = movements.reduce((sum, movement) => sum + gainOf(movement, subject.address), 0n);
  const isUnmoved = movements.length > 0 && stated !== 0n && rest === -stated;
  const cause = isUnmoved ? WITHOUT_MOVE : WITHOUT_TRANSFERS;
  const first = movements[0];
  const classFinding = namelessFinding(subject, height, cause, {
    tx_hash: first?.txHash ?? null,
    log_index: first?.logIndex ?? null,
    from_address: first?.from ?? null,
    to_address: first?.to ?? null,
    amount: String(rest),
    verdict: 'explained',
  });
  const events = await blocks.eventsOf(subject);
  const all = await ledger.movements(subject, places, subject.from, subject.to);
  const isRead = events.reason === undefined;
  const differences: readonly MovementDifference[] = isRead
    ? differencesOf(subject.address, events.movements, all)
    : [];
  const others = isRead
    ? differences.map((difference) => findingOf(subject, difference))
    : findings;
  const note = isRead ? '' : ` (its other events were not compared: ${events.reason})`;
  return {
    verdict: others.length > 0 ? 'differs' : isRead ? 'explained' : 'not_checked',
    cause: cause + note,
    findings: [...others, classFinding],
    calls: calls + events.calls,
  };
}
