import { type ChainSize, SMALL } from './chain.ts';
import type { Lists } from './lists.ts';
import type { PipelineName, PipelineSettings } from './pipelines.ts';
import type { Random } from './random.ts';
import type { Fault } from './server.ts';

/** A family of faults: a variant for every seed, and what windrow promises of all of them. */

/** Of the variants of a family that is `likely`. */
export const LIKELY_WRONG = 0.1;

export interface Variant {
  readonly fault: Fault;
  readonly pipeline: PipelineName;
  readonly settings?: PipelineSettings;
  /** Another chain than that of the other families. */
  readonly size?: ChainSize;
}

export interface Family {
  readonly name: string;
  /**
   * `exact`: no row called complete is wrong. `likely`: the same with `proof: strict`; otherwise at
   * most the share LIKELY_WRONG of the variants has wrong rows. `strict`: only with `proof: strict`
   * no row called complete is wrong. `open`: nothing in the answers shows the fault; played and
   * reported, and held to no number of rows.
   */
  readonly promise: 'exact' | 'likely' | 'strict' | 'open';
  /**
   * Most requests on average over the variants, as a multiple of those of an honest service; one
   * variant may take twice that. `proof: strict` may take STRICT_MORE times as many, because it
   * checks every short page. No bound where absent.
   */
  readonly maxPrice?: number;
  /**
   * Least share of the rows of an honest service that must be complete all the same, in each
   * variant: 1 where every record is listed and can be read. No bound where absent.
   */
  readonly leastRows?: number;
  /** Rows near the head are left to later runs, which is no finding. */
  readonly isLeftOut?: true;
  variant(random: Random, lists: Lists): Variant;
}

/** Pipelines whose lists have block bounds; the first two are one. */
export const ADDRESS_LISTS: readonly PipelineName[] = ['addresses', 'addresses', 'history'];
/** Shares of requests that something happens to. */
export const SHARES = [0.02, 0.1, 0.3, 0.5];
export const EMPTY_SHARES = [0.01, 0.03, 0.05, 0.1, 0.2];
export const CAPS = [7, 25, 60, 99, 100, 150, 400];
/** No height of it has more records of one address than the smallest of these caps. */
export const WITHOUT_BURSTS: ChainSize = { ...SMALL, bursts: 0, burstRecords: 0 };
export const OPERATIONS = [
  'mainchain/address/normal-transaction-list-multi',
  'mainchain/address/internal-transaction-list-multi',
  'mainchain/address/token-transaction-list',
];

/** Times the price of `proof: standard` that `proof: strict` may take. */
export const STRICT_MORE = 1.1;
/** Price of a walk that splits where it cannot trust order or totals. */
export const MIXED = 1.3;
/** Price of a walk that gives up: it has a budget. */
export const GIVEN_UP = 4;

/** Some heights, with the one that holds most transactions among them. */
export function aroundBurst(random: Random, { chain }: Lists): { from: number; to: number } {
  const counts = new Map<number, number>();
  for (const { height } of chain.transactions) counts.set(height, (counts.get(height) ?? 0) + 1);
  const [most = 0] = [...counts].sort((a, b) => b[1] - a[1]).map(([height]) => height);
  const from = Math.max(0, most - random.between(0, 12));
  return { from, to: Math.min(chain.head - 1, from + 12) };
}
