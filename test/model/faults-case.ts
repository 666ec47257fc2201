import type { Chance } from './chance.ts';
import type { Faults, Lies, Slip } from './faulty-wire.ts';
import { ADDRESSES, STRANGERS } from './small-chain.ts';

const SLIPS: readonly Slip[] = [
  'silent',
  'error',
  'refusal',
  'repeated page',
  'other page',
  'other limit',
  'other count',
  'short page',
];

/** Records that are equal and listed once per match are at most so many. */
const MOST_COPIES = 6;

export interface FaultsOf {
  readonly chance: Chance;
  readonly isPerMatch: boolean;
  /** The service may be stuck on its first page, and then gives the pages that are asked for. */
  readonly isSticky: boolean;
  readonly pageSizes: readonly number[];
}

/** What goes wrong in one run. */
export function faultsOf(options: FaultsOf): Faults {
  const { chance, isPerMatch, isSticky, pageSizes } = options;
  const slips = chance.is(0.8) ? chance.some(SLIPS).filter(() => chance.is(0.5)) : [];
  const lies: Lies = {
    ...(chance.is(0.25) && !isSticky ? { largestPage: largestPage(chance, slips) } : {}),
    ...(chance.is(0.1) ? { widerBy: chance.between(1, 3) } : {}),
    // Copies of a record that another key had brought could not be told from real ones.
    ...(chance.is(0.1) && !isPerMatch
      ? { stranger: chance.pick([...ADDRESSES, STRANGERS[0] ?? '']) }
      : {}),
  };
  // Pages of nothing but equal records are the same wherever a service is stuck.
  const isStuck = isSticky && Math.min(...pageSizes) > MOST_COPIES;
  return {
    slips: slips
      .filter((slip) => !(isSticky && slip === 'other limit'))
      .map((slip) => ({ slip, probability: chance.pick([0.03, 0.1, 0.2]) })),
    lies: isStuck ? { ...lies, isStuck } : lies,
  };
}

const REPLICA_SHARES = [0.02, 0.1, 0.3, 0.5] as const;
const EMPTY_SHARES = [0.005, 0.01, 0.03, 0.05, 0.1, 0.2] as const;

/** The same with other back ends and with false empty answers, in some runs. */
export function withReplicasAndEmpties({ slips, lies }: Faults, chance: Chance): Faults {
  const replicas = { others: chance.between(1, 2), share: chance.pick(REPLICA_SHARES) };
  const empties = { slip: 'false empty' as const, probability: chance.pick(EMPTY_SHARES) };
  return {
    slips: chance.is(0.3) ? [...slips, empties] : slips,
    lies: chance.is(0.3) ? { ...lies, replicas } : lies,
  };
}

/**
 * What is doubted is read again in pages of one record less, and nothing tells a page of one record
 * that comes again.
 */
function largestPage(chance: Chance, slips: readonly Slip[]): number {
  return Math.max(slips.includes('repeated page') ? 3 : 1, chance.between(1, 12));
}
