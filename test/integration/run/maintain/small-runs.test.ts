import { join } from 'node:path';
import { expect, test } from 'vitest';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { verifyLake } from '../../../../src/land/verify/verify-lake.ts';
import { IS_THOROUGH } from '../../../fixtures/thorough.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';
import { playOnce, playRuns, sizeOf } from '../../../model/small-runs.ts';

/** Goal: a job of many small runs leaves the files of a few large ones. */

const RUNS = IS_THOROUGH ? 30 : 6;

test('many small runs leave few files, and about the bytes of one run', async () => {
  const folder = await freshFolder();
  const [many, one] = [join(folder, 'many'), join(folder, 'one')] as const;
  await playRuns(many, RUNS);
  await playOnce(one, RUNS);
  const [small, big] = [await sizeOf(many), await sizeOf(one)];
  expect([...small.live.keys()].sort()).toEqual([...big.live.keys()].sort());
  expect(Math.max(...small.live.values())).toBeLessThanOrEqual(12);
  // Each file of a few rows has as many bytes for its footer.
  expect(small.liveBytes).toBeLessThan(3 * big.liveBytes);
  expect((await verifyLake(many, localDisk)).damages).toEqual([]);
});
