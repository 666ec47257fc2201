import type { Interval } from '../../../coverage/ranges.ts';
import { CallFailure } from '../../http/call-failure.ts';
import type { PageReply } from '../../http/caller.ts';
import { NOT_AVAILABLE_CODE } from '../../http/codes.ts';
import { withoutMargin } from '../asked-range.ts';
import { readPageOf } from '../pages.ts';
import type { Reading } from '../walk.ts';

/**
 * Learns from the height of a listed record whether ranges include both edges. Sends one request
 * where they do, else up to five. The height is kept as a question that must return records.
 * Returns false where no range around the height lists the record.
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
  return facts.oneAtATime(path, async () => {
    if (isLearned()) return true;
    const shows = async (from: number, to: number): Promise<boolean> => {
      const { records } = await readPageOf(reading, { from: Math.max(0, from), to }, 1, 'aside');
      return records.some((record) => record.height === height);
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

/**
 * Reads the range, and returns it with its page. A service that has only a part of a chain may
 * refuse the range for an extra block beside the interval; the range is then read without that
 * block. A service that refuses a range for such a block includes the ends of its ranges, and so
 * the last block of the interval.
 */
export async function readAvailable(
  reading: Reading,
  interval: Interval,
  range: Interval,
  read: (range: Interval) => Promise<PageReply>,
): Promise<{ readonly range: Interval; readonly reply: PageReply }> {
  try {
    return { range, reply: await read(range) };
  } catch (error) {
    const isNotAvailable = error instanceof CallFailure && error.code === NOT_AVAILABLE_CODE;
    const narrower = isNotAvailable ? withoutMargin(reading, interval, range) : undefined;
    if (narrower === undefined) throw error;
    return readAvailable(reading, interval, narrower, read);
  }
}
