import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { openState } from '../../../src/run/state-file.ts';
import { jumpingClock } from '../../fixtures/jumping-clock.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

test('a file that cannot be read counts as empty, and only a save moves it aside', async () => {
  const folder = await freshFolder();
  const path = join(folder, 'learned.json');
  await mkdir(path);
  const clock = jumpingClock(5);
  const state = await openState(path, z.number(), localDisk, clock);
  expect(state.values).toEqual({});
  expect(clock.logged.join()).toContain('could not be read');
  // A plan in a folder without permission to write changes nothing.
  expect(await localDisk.list(folder)).toEqual(['learned.json']);
  await state.save('a', 1);
  expect((await localDisk.list(folder)).sort()).toEqual(['learned.json', 'learned.json.damaged-5']);
  expect((await openState(path, z.number(), localDisk, clock)).values).toEqual({ a: 1 });
});
