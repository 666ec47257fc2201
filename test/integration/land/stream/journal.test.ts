import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Journal, type JournalFile, readJournal } from '../../../../src/land/stream/journal.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

/** Goal: frames are on disk within a second, and no record is left out of its file. */

test('the last frames of a burst are synced although no frame follows, and so is the stop', async () => {
  const folder = await freshFolder();
  const ticks: (() => void)[] = [];
  let nowMs = 5_000;
  let syncs = 0;
  let onSync = (): void => undefined;
  const journal = await Journal.open(
    join(folder, 'main'),
    {
      now: () => nowMs,
      sleep: () => new Promise(() => undefined),
      every: (_, work) => {
        ticks.push(work);
        return () => undefined;
      },
      reached: (step) => {
        if (step !== 'journal synced') return;
        syncs += 1;
        onSync();
      },
    },
    0,
  );
  const synced = () => new Promise<void>((resolve) => (onSync = resolve));
  const first = synced();
  journal.append('text', Buffer.from('first'));
  await first;
  journal.append('text', Buffer.from('last'));
  await journal.drained();
  expect(syncs).toBe(1);
  // The clock was set back: time has passed all the same.
  nowMs -= 3_000;
  const last = synced();
  for (const tick of ticks) tick();
  await last;
  expect(syncs).toBe(2);
  journal.append('text', Buffer.from('later'));
  await journal.drained();
  while (journal.waitingBytes > 0) await new Promise(setImmediate);
  nowMs += 1_000;
  // The stop comes while the file is being synced.
  for (const tick of ticks) tick();
  journal.append('stopped', Buffer.alloc(0));
  const [file] = await journal.rotate();
  const records = await readJournal(file as JournalFile);
  expect(records.map(({ kind }) => kind)).toEqual(['text', 'text', 'text', 'stopped']);
  await journal.close();
});
