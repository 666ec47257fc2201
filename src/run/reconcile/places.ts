import { decimalsOf, hex } from '../../fetch/witness/question.ts';
import type { NodeReading, Witnesses } from '../../fetch/witness/witnesses.ts';
import type { LedgerReader } from './ledger.ts';
import { type BalanceSubject, smallestUnits } from './subject.ts';

const NATIVE_PLACES = 18;

/** A subject with its balances. */
export interface Balanced {
  readonly subject: BalanceSubject;
  readonly opening: NodeReading<bigint>;
  readonly closing: NodeReading<bigint>;
  /** The sum of the ledger, in the unit of its records. */
  readonly sum: string;
  readonly calls: number;
  /** Why the range is shorter than the complete one. */
  readonly note: string | null;
}

/**
 * The decimal places of the ledger's amounts. The tokens CSV says them; of other tokens, the
 * contract does. Services state amounts in whole tokens or in the smallest unit: a fraction shows
 * whole tokens, and otherwise the form counts with which more balances agree.
 */
export async function placesOfTokens(
  balanced: readonly Balanced[],
  ledger: LedgerReader,
  witnesses: Witnesses,
): Promise<(subject: BalanceSubject) => number> {
  const names = await ledger.tokenNames();
  const fungible = balanced.filter(({ subject }) => isFungible(subject));
  const tags = new Map(
    fungible.map(({ subject: { token, to } }) => [token ?? '', hex(to)] as const),
  );
  const unnamed = [...tags].filter(([token]) => !names.has(token));
  const answers = await witnesses.ask(unnamed.map(([token, tag]) => decimalsOf(token, tag)));
  const decimals = new Map<string, number>();
  for (const [token, { places }] of names) decimals.set(token, places);
  for (const [at, [token]] of unnamed.entries()) {
    const answer = answers[at];
    if (answer !== undefined && 'value' in answer) decimals.set(token, Number(answer.value));
  }
  const placesOf = ({ token }: BalanceSubject): number => decimals.get(token ?? '') ?? 0;
  const isWhole = amountsAreWhole(fungible, placesOf);
  return (subject) => {
    if (subject.kind === 'native') return NATIVE_PLACES;
    if (!isFungible(subject)) return 0;
    const stated = names.get(subject.token ?? '')?.amounts ?? (isWhole ? 'whole' : 'raw');
    return stated === 'whole' ? placesOf(subject) : 0;
  };
}

function isFungible({ kind }: BalanceSubject): boolean {
  return kind === 'token_20' || kind === 'token_10';
}

function amountsAreWhole(
  balanced: readonly Balanced[],
  placesOf: (subject: BalanceSubject) => number,
): boolean {
  if (balanced.some(({ sum }) => sum.includes('.'))) return true;
  let [whole, raw] = [0, 0];
  for (const { subject, opening, closing, sum } of balanced) {
    if ('reason' in opening || 'reason' in closing || sum === '0') continue;
    const moved = closing.value - opening.value;
    if (smallestUnits(sum, placesOf(subject)) === moved) whole += 1;
    if (smallestUnits(sum, 0) === moved) raw += 1;
  }
  return whole >= raw;
}
