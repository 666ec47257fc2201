import type { Interval } from '../../../coverage/ranges.ts';
import { CallFailure } from '../../http/call-failure.ts';
import type { PageReply } from '../../http/caller.ts';
import { NOT_HELD_CODE } from '../../http/codes.ts';
import { withoutMargin } from '../asked-range.ts';
import { readPageOf } from '../pages.ts';
import type { Reading } from '../walk.ts';
import { heightOf } from '../wire.ts';

/**
 * Learns both edges from the height of a record that was listed: one request where ranges include
 * them, else up to five. The question is remembered as one that must be answered with records.
 * Returns false where the service shows the record under none of the readings.
 */
export async function learnEdges(reading: Reading, height: number): Promise<boolean> {
  const { endpoint, slice, settings } = reading;
  const { facts } = settings;
  const { path } = endpoint;
  const isLearned = (): boolean => {
    const { from, to } = facts.edges(path);
    return from !== undefined && to !== undefined;
  };
  if (isLearned()) return true;
  return facts.inTurn(path, async () => {
    if (isLearned()) return true;
    const shows = async (from: number, to: number): Promise<boolean> => {
      const { records } = await readPageOf(reading, { from: Math.max(0, from), to }, 1, 'aside');
      return records.some((record) => heightOf(endpoint, record) === height);
    };
    if (await shows(height, height)) {
      facts.learnEdges(path, { from: true, to: true });
    } else {
      const from = (await shows(height, height + 1)) || (await shows(height, height + 1));
      const to = (await shows(height - 1, height)) || (await shows(height - 1, height));
      if (!from && !to && !(await shows(height - 1, height + 1))) return false;
      facts.learnEdges(path, { from, to });
    }
    facts.learnKnown(path, { ...slice, interval: { from: height, to: height } });
    return true;
  });
}

/** A page, and the range it was asked for. */
interface RangeReply {
  readonly range: Interval;
  readonly reply: PageReply;
}

/**
 * Reads the range; where a service that has a part of a chain refuses it, once more without each of
 * the blocks that were added beside the interval. A service that refuses a range for such a block
 * includes it, and so includes the last block of the interval too.
 */
export async function readHeld(
  reading: Reading,
  interval: Interval,
  range: Interval,
  read: (range: Interval) => Promise<PageReply>,
): Promise<RangeReply> {
  try {
    return { range, reply: await read(range) };
  } catch (error) {
    const isNotHeld = error instanceof CallFailure && error.code === NOT_HELD_CODE;
    const narrower = isNotHeld ? withoutMargin(reading, interval, range) : undefined;
    if (narrower === undefined) throw error;
    return readHeld(reading, interval, narrower, read);
  }
}
