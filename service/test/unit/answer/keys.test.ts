import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import type { Secret } from '../../../../src/fetch/http/signature.ts';
import { credentialsFrom, environmentCredentials } from '../../../../src/run/job/credentials.ts';
import { freshFolder } from '../../../../test/fixtures/when-over.ts';
import { keyHolders } from '../../../src/verb/key-holders.ts';

async function keysFile(content: unknown, mode = 0o600): Promise<string> {
  const folder = await freshFolder();
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
    await expect(fault).rejects.toThrow('readable by other users');
  });

  it.each([
    ['{', 'The file of keys is not a JSON list of keys.'],
    [{}, 'The file of keys is not a JSON list of keys.'],
    [[], 'The file of keys has no key.'],
    [[key('a'), 5], 'Entry 2 of the keys: the entry is not a mapping.'],
    [[key('a'), key('b'), key('a')], 'Entry 3 of the keys: accessKey is that of an earlier entry.'],
    [[key('a', { secretKey: '' })], 'Entry 1 of the keys: secretKey is empty.'],
    [[key('a', { secretKey: undefined })], 'Entry 1 of the keys: secretKey is missing.'],
    [[key('a'), key('b', { passphrase: 5 })], 'Entry 2 of the keys: passphrase is not text.'],
    [[key('a', { more: 'canary' })], 'Entry 1 of the keys: unknown key "more".'],
    [
      [key('a', { limit: { rule: 'canary', requests: 1 } })],
      'Entry 1 of the keys: limit.rule is not a rate limit rule.',
    ],
    [
      [key('a', { limit: { rule: 'per-minute' } })],
      'Entry 1 of the keys: limit.requests is missing.',
    ],
    [
      [key('a', { limit: { rule: 'per-minute', requests: 1, speed: 'canary' } })],
      'Entry 1 of the keys: unknown key in limit "speed".',
    ],
  ])('with %j is refused by entry and field, and repeats no value', async (content, what) => {
    const file = await keysFile(content);
    const fault = await keyHolders(file).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind: 'configuration', where: file, message: what });
    expect((fault as Fault).advice).toContain('Write [{"accessKey": "..."');
    expect((fault as Fault).paragraph()).not.toContain('canary');
  });

  it('that does not exist is a fault with advice', async () => {
    await expect(keyHolders('/nowhere/keys.json')).rejects.toMatchObject({
      kind: 'configuration',
      advice: 'Name a file of keys with --keys.',
    });
  });
});

type Wanted = 'signature' | 'key';

/** The credentials of a pipeline that takes them from the environment. */
function wanted(authentication: Wanted, env: NodeJS.ProcessEnv) {
  const source = { credentials: { kind: 'environment' }, authentication } as const;
  return credentialsFrom(source, 'my.yaml', (file) => file, env);
}

/** The credentials of a pipeline that takes them from a file with this content. */
async function asFile(content: unknown, authentication: Wanted) {
  const credentials = { kind: 'file', file: await keysFile(content) } as const;
  return credentialsFrom({ credentials, authentication }, 'my.yaml', (name) => name, {});
}

describe('a key without signatures', () => {
  it('is the access key alone, in the environment', async () => {
    const results = await wanted('key', { WINDROW_ACCESS_KEY: 'a' });
    expect(results?.accessKey.reveal()).toBe('a');
    expect(Object.keys(results ?? {})).toEqual(['accessKey']);
    await expect(wanted('key', { WINDROW_SECRET_KEY: 'b' })).rejects.toThrow(
      'WINDROW_ACCESS_KEY is not set.',
    );
  });

  it('is the access key alone, in a file, which may hold the others', async () => {
    for (const content of [{ accessKey: 'a' }, key('a')]) {
      const results = await asFile(content, 'key');
      expect(Object.keys(results ?? {})).toEqual(['accessKey']);
    }
    await expect(asFile({ secretKey: 'canary' }, 'key')).rejects.toMatchObject({
      advice: 'Write {"accessKey": "..."}.',
    });
    await expect(asFile({ accessKey: 'a' }, 'signature')).rejects.toMatchObject({
      advice: expect.stringContaining('authentication: key'),
    });
  });

  it('is accepted by a service that checks no signatures', async () => {
    const holders = await keyHolders(await keysFile([{ accessKey: 'a' }, key('b')]), 'key');
    expect(holders.map((holder) => Object.keys(holder))).toEqual([['accessKey'], ['accessKey']]);
    const fault = keyHolders(await keysFile([{ secretKey: 'canary' }]), 'key');
    await expect(fault).rejects.toThrow('Entry 1 of the keys: accessKey is missing.');
  });
});

describe('keys in the environment', () => {
  const [access, secret, phrase] = [
    { WINDROW_ACCESS_KEY: 'a' },
    { WINDROW_SECRET_KEY: 'canary' },
    { WINDROW_PASSPHRASE: 'canary' },
  ];

  it.each([
    [{ ...access, ...secret }, 'WINDROW_PASSPHRASE is not set.'],
    [access, 'WINDROW_SECRET_KEY and WINDROW_PASSPHRASE are not set.'],
    [
      { ...phrase, WINDROW_ACCESS_KEY: '' },
      'WINDROW_ACCESS_KEY and WINDROW_SECRET_KEY are not set.',
    ],
  ])('%j: those that are missing are named in a sentence', (env, message) => {
    expect(() => environmentCredentials(env)).toThrow(message);
  });

  it.each(['canary\r', 'canary\n', '\ufeffcanary', '  canary\t', '\u00a0canary\r\n'])(
    'lose what files and variables add around them: %j',
    async (value) => {
      const env = {
        WINDROW_ACCESS_KEY: value,
        WINDROW_SECRET_KEY: value,
        WINDROW_PASSPHRASE: value,
      };
      const json = JSON.stringify({ accessKey: value, secretKey: value, passphrase: value });
      const inFile = await asFile(`\ufeff${json}\r\n`, 'signature');
      for (const results of [await wanted('signature', env), inFile]) {
        const revealed = Object.values<Secret>({ ...results }).map((item) => item.reveal());
        expect(revealed).toEqual(['canary', 'canary', 'canary']);
      }
      expect((await wanted('key', env))?.accessKey.reveal()).toBe('canary');
    },
  );

  it.each(['can\nary', 'can\u0000ary', 'can\u200bary', 'can\u043dary', 'can\u007fary'])(
    'are refused by name, without their value, with characters that cannot be sent: %j',
    async (value) => {
      const env = { ...access, ...secret, WINDROW_PASSPHRASE: value };
      const inEnvironment = await wanted('signature', env).catch((error) => error);
      expect(inEnvironment.paragraph()).toContain(
        'The value of WINDROW_PASSPHRASE has characters that cannot be sent.',
      );
      const content = key('a', { secretKey: value });
      const inFile = await asFile(content, 'signature').catch((error) => error);
      expect(inFile.paragraph()).toContain('keys.json: The value of secretKey has characters');
      expect(inEnvironment.paragraph() + inFile.paragraph()).not.toContain(value);
    },
  );

  it.each(['"canary"', "'canary'"])('are refused by name with quotes around them', (value) => {
    const env = { ...access, ...phrase, WINDROW_SECRET_KEY: value };
    expect(() => environmentCredentials(env)).toThrow(
      'The value of WINDROW_SECRET_KEY has quotes around it.',
    );
  });

  it('that are blank are not set', () => {
    expect(() => environmentCredentials({ ...access, ...secret, WINDROW_PASSPHRASE: ' ' })).toThrow(
      'WINDROW_PASSPHRASE is not set.',
    );
  });

  it('are all missing where a pipeline wants them and none is set', async () => {
    const results = wanted('signature', {});
    await expect(results).rejects.toThrow(
      'WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE are not set.',
    );
  });
});
