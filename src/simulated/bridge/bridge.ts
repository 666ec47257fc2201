import { assetsOf } from '../primary/assets.ts';
import type { Population } from '../primary/population.ts';
import { heightsBetween } from '../primitives/block-time.ts';
import type { SeedWords } from '../primitives/random.ts';
import { randomAddress, randomAt } from '../primitives/random.ts';
import { recentAnswers } from '../primitives/recent.ts';
import type { ScheduledTurn } from './bridge-schedule.ts';
import { DEPOSIT_DELAY_MS, PAYMENT_DELAY_MS, scheduledTurns } from './bridge-schedule.ts';
import type { BridgeParties, Crossing } from './crossing.ts';
import type { ZoneClock } from './zone-clock.ts';
import { ZONE_BLOCK_TIME_MS, zoneClock } from './zone-clock.ts';

/**
 * Connects the two chains. The zone leg of a crossing lies within a bounded time before or after
 * its turn on the primary chain. The crossings of any height of either chain can therefore be found
 * from a few heights of the primary chain, without earlier ones.
 */
export interface Bridge {
  readonly parties: BridgeParties;
  readonly clock: ZoneClock;
  /** All turns of a height of the primary chain, in order. */
  turnsAt(height: number): ScheduledTurn[];
  /** The crossings that belong to a turn of this height, including refused ones. */
  crossingsOf(height: number): readonly Crossing[];
  /** The crossings whose zone leg is at this height of the zone chain. */
  crossingsIn(zoneHeight: number): Crossing[];
}

const ZONE_ONLY_ADDRESSES = 6;
const KEPT_HEIGHTS = 256;
const ZONE_ONLY_STREAM = 21;

/** The bridge of a population; the zone chain starts with block `zoneStart`. */
export function bridgeOf(words: SeedWords, people: Population, zoneStart: number): Bridge {
  const zoneOnly = Array.from({ length: ZONE_ONLY_ADDRESSES }, (_, index) =>
    randomAddress(randomAt(words, ZONE_ONLY_STREAM, index)),
  );
  const parties = { people, assets: assetsOf(people.tokens), zoneOnly };
  const clock = zoneClock(words, zoneStart);
  const inputs = { words, parties, clock, zoneStart };
  const crossingsOf = recentAnswers(
    (height) =>
      scheduledTurns(inputs, height).flatMap(({ transaction }) =>
        transaction?.crossing === undefined || transaction.failed ? [] : [transaction.crossing],
      ),
    KEPT_HEIGHTS,
  );
  return {
    parties,
    clock,
    turnsAt: (height) => scheduledTurns(inputs, height),
    crossingsOf,
    crossingsIn: (zoneHeight) => {
      const timeMs = clock.timeMs(zoneHeight);
      // A withdrawal's zone leg is rounded down to a zone block, so it may lie one block earlier.
      const { first, last } = heightsBetween(
        timeMs - DEPOSIT_DELAY_MS.most,
        timeMs + PAYMENT_DELAY_MS.most + ZONE_BLOCK_TIME_MS,
      );
      const found: Crossing[] = [];
      for (let height = Math.max(first, zoneStart); height <= last; height += 1) {
        for (const each of crossingsOf(height)) {
          if (each.zoneHeight === zoneHeight) found.push(each);
        }
      }
      return found;
    },
  };
}
