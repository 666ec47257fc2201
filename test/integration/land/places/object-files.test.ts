import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Operator } from 'opendal';
import { beforeEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { parseAddress, storeSettings } from '../../../../src/land/places/address.ts';
import type { ObjectStore } from '../../../../src/land/places/object-store.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';
import { dyingStore, objectFiles, storeOf, virtualEffects } from '../../../model/object-place.ts';
import { publishedFilesContract } from '../../../model/published-files.ts';

const place = await freshFolder();
const cache = join(place, 'cache');
/** The folder of a file system, or a store of `npm run test:scale`: its endpoint and an address. */
const [endpoint, address = ''] = process.env['WINDROW_TEST_STORE']?.split(' ') ?? [];
const store = storeOf(
  endpoint === undefined
    ? new Operator('fs', { root: join(place, 'store') })
    : new Operator(
        's3',
        storeSettings(parseAddress(`${address}-${process.pid}`), { AWS_ENDPOINT_URL: endpoint }),
      ),
);
let folders = 0;

publishedFilesContract({
  name: 'an object store',
  files: objectFiles(cache, store),
  dying: (killAt, error) => objectFiles(cache, dyingStore(store, killAt, error)),
  folder: async () => {
    folders += 1;
    return join(cache, `state/${folders}`);
  },
});

describe('tables in an object store', () => {
  let root = '';
  const requests: string[] = [];
  const counted: ObjectStore = {
    ...store,
    list: (folder, depth) => {
      requests.push(`LIST ${folder}`);
      return store.list(folder, depth);
    },
    facts: (key) => {
      requests.push(`HEAD ${key}`);
      return store.facts(key);
    },
    get: (key, range) => {
      requests.push(`GET ${key}`);
      return store.get(key, range);
    },
  };
  beforeEach(() => {
    folders += 1;
    root = join(place, `copies-${folders}`);
    requests.length = 0;
  });
  const staged = async (text: string): Promise<string> => {
    const path = join(place, `staged-${createHash('sha256').update(text).digest('hex')}`);
    await writeFile(path, text);
    return path;
  };

  it('cost no request for what was just listed, put, or is known not to be there', async () => {
    const files = objectFiles(root, counted);
    const log = join(root, `lake/C/t${folders}/_delta_log`);
    const key = `lake/C/t${folders}/_delta_log`;
    await files.publishIfAbsent(await staged('first'), join(log, '0.json'));
    expect(await files.list(log)).toEqual(['0.json']);
    expect(await files.stat(join(log, '0.json'))).toBeDefined();
    expect(await files.stat(join(log, '1.json'))).toBeUndefined();
    expect(await files.read(join(log, '0.json'))).toBe('first');
    expect(await files.list(join(root, 'lake/C/none/_delta_log'))).toEqual([]);
    expect(requests).toEqual(['LIST lake/', 'LIST lake/C/', `LIST ${key}/`]);
    await files.publishIfAbsent(await staged('second'), join(log, '1.json'));
    expect(await files.list(log)).toEqual(['0.json', '1.json']);
    expect(requests).toHaveLength(3);
    files.renew(log);
    await files.list(log);
    expect(requests.slice(3)).toEqual([`LIST ${key}/`]);
  });

  it('have data files here after a fetch, once, and refuse those that were changed', async () => {
    const folder = join(root, `lake/C/t${folders}`);
    const path = join(folder, 'part.parquet');
    const sha256 = createHash('sha256').update('rows').digest('hex');
    await store.put(`lake/C/t${folders}/part.parquet`, Buffer.from('rows'));
    const files = objectFiles(root, counted);
    files.expect(folder, () => ({ sizeBytes: 4, sha256 }));
    await files.fetch([path]);
    await files.fetch([path]);
    expect(requests).toEqual([`GET lake/C/t${folders}/part.parquet`]);
    await writeFile(path, 'torn copy');
    await files.fetch([path]);
    expect(requests).toHaveLength(2);
    await rm(path);
    await store.put(`lake/C/t${folders}/part.parquet`, Buffer.from('rots'));
    await expect(files.fetch([path])).rejects.toThrow(Fault);
    expect(existsSync(path)).toBe(false);
  });

  it('leave room here: the copies used least recently go, and none in use', async () => {
    const effects = virtualEffects();
    const files = objectFiles(root, store, { maxBytes: 30, effects });
    const path = (n: number) => join(root, `lake/C/t${folders}/part-${n}.parquet`);
    for (const n of [1, 2, 3, 4]) {
      await store.put(`lake/C/t${folders}/part-${n}.parquet`, Buffer.alloc(10));
    }
    await files.fetch([path(1)]);
    await files.fetch([path(2)]);
    await effects.sleep(7_200_000);
    await files.fetch([path(1)]);
    await files.fetch([path(3)]);
    await files.fetch([path(4)]);
    const left = await readdir(join(root, `lake/C/t${folders}`));
    expect(left.sort()).toEqual(['part-1.parquet', 'part-3.parquet', 'part-4.parquet']);
  });
});

describe('a store that fails', () => {
  const failing = (...messages: string[]) => {
    const keys: string[] = [];
    const operator = {
      write: async (key: string) => {
        keys.push(key);
        const message = messages.shift();
        if (message !== undefined) throw new Error(message);
      },
      read: async () => Buffer.from('ours'),
    };
    return { store: storeOf(operator as unknown as Operator), keys };
  };
  const answered = (status: number, code: string) =>
    `Unexpected (permanent) at write, context: { status: ${status}, } => S3Error { code: "${code}", message: "no" }`;

  it('is asked again where it is busy, and a condition that fails is decided by the bytes', async () => {
    const { store, keys } = failing(
      answered(409, 'ConditionalRequestConflict'),
      answered(503, 'SlowDown'),
      answered(500, 'InternalError'),
      'ConditionNotMatch (permanent) at write, context: { status: 412, }',
    );
    expect(await store.putIfAbsent('k', Buffer.from('ours'))).toBe(true);
    expect(keys).toHaveLength(4);
    const lost = failing('ConditionNotMatch (permanent) at write');
    expect(await lost.store.putIfAbsent('k', Buffer.from('other'))).toBe(false);
  });

  it.each([
    ['configuration', answered(404, 'NoSuchBucket'), 'Create the bucket'],
    ['authentication', 'PermissionDenied (permanent) at write, status: 403', 'credentials'],
    ['configuration', 'ConfigInvalid (permanent) at Builder => region is missing.', 'AWS_REGION'],
    ['unreachable', 'Unexpected (temporary) at write, => send http request', 'AWS_ENDPOINT_URL'],
  ])('is a fault of the kind %s with a remedy', async (kind, message, advice) => {
    const { store } = failing(...new Array<string>(20).fill(message));
    const fault = await store.put('k', Buffer.from('x')).catch((error: unknown) => error);
    expect(fault).toMatchObject({ kind, where: 's3://bucket/lake' });
    expect((fault as Fault).advice).toContain(advice);
  });
});
