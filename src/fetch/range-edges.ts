import { readPageOf } from './pages.ts';
import type { Reading } from './walked.ts';
import { heightOf } from './wire.ts';

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
