import { assetsOf } from '../primary/assets.ts';
import type { Population } from '../primary/population.ts';
import { heightsBetween } from '../primitives/block-time.ts';
import { randomAddress, randomAt, type SeedWords } from '../primitives/random.ts';
import { recentAnswers } from '../primitives/recent.ts';
import type { PlannedTurn, ZoneClock } from './bridge-schedule.ts';
import {
  DEPOSIT_DELAY_MS,
  PAYMENT_DELAY_MS,
  plannedTurns,
  ZONE_BLOCK_TIME_MS,
  zoneClock,
} from './bridge-schedule.ts';
import type { Crossing, Travellers } from './crossing.ts';

/**
 * The connection between the chains. The zone leg of a crossing is a bounded time before or after
 * its turn on the primary chain, so both chains find the crossings of a height from a few heights
 * of the primary chain.
 */
export interface Bridge {
  readonly travellers: Travellers;
  readonly clock: ZoneClock;
  /** All turns of a height of the primary chain, in order. */
  turnsAt(height: number): PlannedTurn[];
  /** The crossings, refused ones too, whose zone leg is at this height of the zone chain. */
  crossingsIn(zoneHeight: number): Crossing[];
}

const ZONE_ONLY_ADDRESSES = 6;
const KEPT_HEIGHTS = 256;
const ZONE_ONLY_STREAM = 21;

/** The bridge of a population. The zone chain begins at block `zoneStart`. */
export function bridgeOf(words: SeedWords, people: Population, zoneStart: number): Bridge {
  const zoneOnly = Array.from({ length: ZONE_ONLY_ADDRESSES }, (_, index) =>
    randomAddress(randomAt(words, ZONE_ONLY_STREAM, index)),
  );
  const travellers = { people, assets: assetsOf(people.tokens), zoneOnly };
  const clock = zoneClock(words, zoneStart);
  const inputs = { words, travellers, clock, zoneStart };
  const crossingsOf = recentAnswers(
    (height) =>
      plannedTurns(inputs, height).flatMap(({ bridgeTransaction }) =>
        bridgeTransaction?.crossing === undefined || bridgeTransaction.failed
          ? []
          : [bridgeTransaction.crossing],
      ),
    KEPT_HEIGHTS,
  );
  return {
    travellers,
    clock,
    turnsAt: (height) => plannedTurns(inputs, height),
    crossingsIn: (zoneHeight) => {
      const timeMs = clock.timeMs(zoneHeight);
      // The time of a withdrawal's zone leg is truncated to a zone block, so it may be one earlier.
      const { first, last } = heightsBetween(
        timeMs - DEPOSIT_DELAY_MS.most,
        timeMs + PAYMENT_DELAY_MS.most + ZONE_BLOCK_TIME_MS,
      );
      const crossings: Crossing[] = [];
      for (let height = Math.max(first, zoneStart); height <= last; height += 1) {
        for (const crossing of crossingsOf(height)) {
          if (crossing.zoneHeight === zoneHeight) crossings.push(crossing);
        }
      }
      return crossings;
    },
  };
}
