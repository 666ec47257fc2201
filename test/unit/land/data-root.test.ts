import { mkdir, symlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { checkLake } from '../../../src/cli/verbs/doctor/root-checks.ts';
import { checkRoot } from '../../../src/land/data-root.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { layout } from '../../../src/land/storage/layout.ts';
import { quietConsole } from '../../fixtures/quiet-console.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

let folder = '';
let root = '';
beforeEach(async () => {
  folder = await freshFolder();
  root = join(folder, 'data');
  await mkdir(join(folder, 'elsewhere'));
});

test.each([
  'lake',
  'lake/MAINCHAIN',
  'lake/MAINCHAIN/transactions',
  'curated',
  'curated/MAINCHAIN/address_activity',
])('a link in place of the folder %s is refused, and found by doctor', async (name) => {
  const link = join(root, name);
  await mkdir(dirname(link), { recursive: true });
  await symlink(join(folder, 'elsewhere'), link);
  await expect(checkRoot(layout(root), localDisk)).rejects.toMatchObject({
    kind: 'lake',
    message: 'This folder is a link, and tables lie in the data root itself.',
    where: link,
  });
  const [diagnosis] = await checkLake(root, quietConsole.effects);
  expect(diagnosis).toMatchObject({ check: 'lake', verdict: 'fail' });
  expect(diagnosis?.finding).toContain(link);
  expect(diagnosis?.remedy).toContain('Move the folder back');
});

test('a data root that is a link itself, and one with other links, can be used', async () => {
  await mkdir(join(folder, 'elsewhere', 'lake', 'MAINCHAIN'), { recursive: true });
  await symlink(join(folder, 'elsewhere'), root);
  await symlink(join(folder, 'elsewhere'), join(root, 'notes'));
  await expect(checkRoot(layout(root), localDisk)).resolves.toBeUndefined();
});
