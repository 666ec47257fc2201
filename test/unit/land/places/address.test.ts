import { describe, expect, it } from 'vitest';
import { parseAddress, storeSettings } from '../../../../src/land/places/address.ts';
import { mountRoot } from '../../../../src/land/places/mount-root.ts';
import { addressOf, isElsewhere, withAddresses } from '../../../../src/land/places/mounts.ts';
import { machineDisk } from '../../../../src/land/storage/disk.ts';
import { virtualEffects } from '../../../model/object-place.ts';
import { importsOf, readSources } from '../../../model/source-tree.ts';

describe('an address of a data root', () => {
  it.each([
    ['s3://b/a/lake/', 's3', 'b', 'a/lake', 's3://b/a/lake'],
    ['gs://b', 'gcs', 'b', '', 'gs://b'],
    ['az://c/x.y-1', 'azblob', 'c', 'x.y-1', 'az://c/x.y-1'],
  ])('%s names a bucket and a prefix', (text, service, bucket, prefix, shown) => {
    expect(parseAddress(text)).toEqual({ text: shown, service, bucket, prefix });
  });

  it.each([
    's3://',
    's3:b/lake',
    's3:///lake',
    's3://b/*',
    's3://b/../c',
    's3://b/a b',
    's3://..',
    's3://b?x=1/a',
  ])('%s is refused', (text) => {
    expect(() => parseAddress(text)).toThrow(/not an address of an object store/);
  });

  it('takes its endpoint and region as other tools do, and no secret', () => {
    const settings = (env: NodeJS.ProcessEnv) => storeSettings(parseAddress('s3://b/p'), env);
    const secret = { AWS_ACCESS_KEY_ID: 'k', AWS_SECRET_ACCESS_KEY: 's' };
    expect(settings({ ...secret, AWS_REGION: 'eu-west-1' })).toEqual({
      bucket: 'b',
      root: '/p',
      region: 'eu-west-1',
      enable_virtual_host_style: 'true',
    });
    expect(settings({ AWS_ENDPOINT_URL: 'http://a', AWS_ENDPOINT_URL_S3: 'http://b' })).toEqual({
      bucket: 'b',
      root: '/p',
      region: 'us-east-1',
      endpoint: 'http://b',
    });
  });
});

describe('a folder that stands for an address', () => {
  const env = { WINDROW_CACHE_DIR: '/cache' };
  const folder = mountRoot('s3://b/p', {}, env, machineDisk, virtualEffects());

  it('has published files elsewhere, and local ones', () => {
    for (const path of [
      'lake/C/t/x',
      'curated/C',
      'runs/r.json',
      'state/root.json',
      'state/lock',
    ]) {
      expect(isElsewhere(`${folder}/${path}`), path).toBe(true);
    }
    const local = [
      'staging/x',
      'warehouse.duckdb',
      'state/learned.json',
      'state/stream/n/1.journal',
    ];
    for (const path of [...local, 'state/.lock.1', 'lake/C/.1.copy', '../other/lake/C']) {
      expect(isElsewhere(`${folder}/${path}`), path).toBe(false);
    }
  });

  it('is shown to users by the address, but for its local files', () => {
    expect(addressOf(folder)).toBe('s3://b/p');
    expect(withAddresses(`see "${folder}" and ${folder}/lake/C/t:3 --data ${folder}`)).toBe(
      'see "s3://b/p" and s3://b/p/lake/C/t:3 --data s3://b/p',
    );
    expect(withAddresses(`${folder}/state/lock`)).toBe('s3://b/p/state/lock');
    const warehouse = `${folder}/warehouse.duckdb`;
    expect(withAddresses(warehouse)).toBe(warehouse);
  });
});

it('opendal is loaded where a store is opened, and nowhere else', async () => {
  const tree = await readSources(new URL('../../../../', import.meta.url).pathname);
  const files = importsOf(tree).filter(({ to }) => to === 'opendal');
  const values = [...tree].filter(([, text]) => {
    return /import(?! type)[^;]*from 'opendal'|import\('opendal'\)/.test(text);
  });
  expect(new Set(files.map(({ from }) => from)).size).toBeGreaterThan(0);
  expect(values.map(([file]) => file)).toEqual(['src/land/places/opendal-store.ts']);
});
