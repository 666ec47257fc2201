import { stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { keyFolder, stateFolder } from '../../../../src/run/shared-key/key-folder.ts';
import { seededRandom } from '../../../fixtures/virtual-clock.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

let root = '';
beforeAll(async () => {
  root = await freshFolder();
});
const OWNER = { url: 'https://explorer.example', accessKey: 'canary-key' };

it('a key has one folder on a machine, with a name that another machine does not have', async () => {
  const [here, there] = [join(root, 'here'), join(root, 'there')];
  const [one, two] = await Promise.all([
    keyFolder(here, OWNER, seededRandom(1)),
    keyFolder(here, OWNER, seededRandom(2)),
  ]);
  expect(two).toEqual(one);
  expect(one.name).toMatch(/^[0-9a-f]{32}$/);
  expect((await keyFolder(there, OWNER, seededRandom(3))).name).not.toBe(one.name);
  expect((await stat(one.path)).mode & 0o777).toBe(0o700);
});

it('another key, or another service, has another folder', async () => {
  const names = new Set<string>();
  for (const owner of [
    OWNER,
    { ...OWNER, accessKey: 'other' },
    { ...OWNER, accessKey: undefined },
    { ...OWNER, url: 'https://other.example' },
  ]) {
    names.add((await keyFolder(join(root, 'here'), owner, seededRandom(1))).name);
  }
  expect(names.size).toBe(4);
});

it('a folder that cannot be written is a fault with its remedy', async () => {
  await writeFile(join(root, 'file'), '');
  const made = keyFolder(join(root, 'file'), OWNER, seededRandom(1));
  await expect(made).rejects.toMatchObject({ kind: 'configuration', where: join(root, 'file') });
  await expect(made).rejects.toThrow('The state that runs share cannot be written.');
});

it('the folder is that of the environment, or in the home of the user', () => {
  expect(stateFolder({ WINDROW_STATE_DIR: '/a', XDG_STATE_HOME: '/b' })).toBe('/a');
  expect(stateFolder({ XDG_STATE_HOME: '/b' })).toBe('/b/windrow');
  expect(stateFolder({})).toMatch(/\.local\/state\/windrow$/);
});
