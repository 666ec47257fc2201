import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { layout } from '../../../src/land/storage/layout.ts';
import { withLock } from '../../../src/run/lock-of.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

it('a run that was replaced while it stood still removes no files', async () => {
  const root = await freshFolder();
  const paths = layout(root);
  const file = join(root, 'data');
  await writeFile(file, '');
  const never = new AbortController().signal;
  const job = {
    lake: { layout: paths },
    disk: localDisk,
    effects: quietEffects(),
    softStop: never,
    connection: { limits: { ending: never } },
    pipeline: { limits: { onLocked: 'fail', priority: 5 } },
  } as unknown as Parameters<typeof withLock>[0];
  const successor = JSON.stringify({ pid: 1, host: 'elsewhere', started: '1', since: '' });
  const running = withLock(job, async (disk) => {
    await rm(paths.lock);
    await writeFile(paths.lock, successor);
    await disk.remove(file);
  });
  await expect(running).rejects.toMatchObject({ kind: 'locked' });
  expect(await readdir(root)).toEqual(['data', 'state']);
});
