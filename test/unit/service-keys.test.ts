import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { keyHolders } from '../../src/cli/credentials.ts';
import { Fault } from '../../src/fault.ts';

const folders: string[] = [];
afterEach(async () => {
  for (const each of folders.splice(0)) await rm(each, { recursive: true });
});

async function keysFile(content: unknown, mode = 0o600): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'windrow-keys-'));
  folders.push(folder);
  const file = join(folder, 'keys.json');
  await writeFile(file, typeof content === 'string' ? content : JSON.stringify(content));
  await chmod(file, mode);
  return file;
}

const key = (accessKey: string, more: object = {}) => ({
  accessKey,
  secretKey: 'canary-secret',
  passphrase: 'canary-phrase',
  ...more,
});

describe('a file of keys', () => {
  it('names who may ask, and how much', async () => {
    const limit = { rule: 'token-bucket', requests: 5 };
    const holders = await keyHolders(await keysFile([key('a', { limit }), key('b')]));
    expect(holders.map(({ accessKey }) => accessKey.reveal())).toEqual(['a', 'b']);
    expect(holders[0]?.limit).toMatchObject({ ...limit, seconds: 1, reject: { status: 429 } });
    expect(holders[1]?.limit).toBeUndefined();
    expect(JSON.stringify(holders)).not.toContain('canary');
  });

  it.each([0o640, 0o604, 0o644, 0o660])('of mode %o is refused', async (mode) => {
    const fault = keyHolders(await keysFile([key('a')], mode));
    await expect(fault).rejects.toThrow('Others than its owner may read');
  });

  it.each([
    ['{', 'keys is not a list of keys'],
    [{}, 'keys is not a list of keys'],
    [[], 'keys has no key'],
    [[key('a'), key('a')], 'keys names the same accessKey twice'],
    [[key('a', { secretKey: '' })], 'keys[0]["secretKey"]'],
    [[key('a'), key('b', { passphrase: 5 })], 'keys[1]["passphrase"]'],
    [[key('a', { limit: { rule: 'canary', requests: 1 } })], 'keys[0]["limit"]["rule"]'],
    [[key('a', { limit: { rule: 'per-minute' } })], 'keys[0]["limit"]["requests"]'],
    [[key('a', { more: 'canary' })], 'keys[0]'],
  ])(
    'with %j is refused by the place that is wrong, and repeats no value',
    async (content, what) => {
      const file = await keysFile(content);
      const fault = await keyHolders(file).catch((error: unknown) => error);
      expect(fault).toBeInstanceOf(Fault);
      expect(fault).toMatchObject({ kind: 'configuration', where: file });
      expect((fault as Fault).message).toContain(what);
      expect((fault as Fault).paragraph()).not.toContain('canary');
    },
  );

  it('that is not there is a fault that says what to do', async () => {
    await expect(keyHolders('/nowhere/keys.json')).rejects.toMatchObject({
      kind: 'configuration',
      advice: 'Name a file of keys with --keys.',
    });
  });
});
