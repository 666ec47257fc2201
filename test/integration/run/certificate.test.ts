import { readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { canonicalFile } from '../../../src/export/certificate/canonical-json.ts';
import { certifyLake, writeKey } from '../../../src/run/certificate/certify-lake.ts';
import { verifyCertificate } from '../../../src/run/certificate/verify-certificate.ts';
import { block, LIST, SmallLake } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { freshFolder } from '../../fixtures/when-over.ts';

/** Goal: an auditor verifies a copy of a data root, and the copy stays as it is. */

let small: SmallLake;
let folder: string;
beforeAll(async () => {
  folder = await freshFolder();
  vi.stubEnv('XDG_CACHE_HOME', folder);
  small = await SmallLake.open();
  await small.land(LIST.blocks, { keys: [''], records: [block()] });
  await small.publish();
});
afterAll(async () => {
  vi.unstubAllEnvs();
  await small.close();
});

async function entries(root: string): Promise<string[]> {
  const names = await readdir(root, { recursive: true });
  return Promise.all(
    names.sort().map(async (name) => `${name} ${(await stat(join(root, name))).mtimeMs}`),
  );
}

test('a data root without a warehouse is verified, and nothing is written to it', async () => {
  const { root } = small;
  const notes: string[] = [];
  const caller = { effects: quietEffects(), note: (text: string) => notes.push(text) };
  const key = join(folder, 'key.pem');
  await writeKey(key, root);
  const file = join(folder, 'certificate.json');
  await writeFile(file, canonicalFile(await certifyLake({ root, key }, caller)));
  await rm(small.lake.layout.warehouse);

  const before = await entries(root);
  const { checks, outcome } = await verifyCertificate({ file, data: root, env: {} }, caller);
  expect(outcome, JSON.stringify(checks)).toBe('verified');
  expect(checks.map(({ check }) => check)).toContain('rows of curated.blocks');
  expect(await entries(root)).toEqual(before);
  expect(notes.join()).toContain(`is built in ${folder}`);
});

test('the warehouse of others is not trusted: an older one does not hide a change of the lake', async () => {
  const { root } = small;
  const caller = { effects: quietEffects(), note: () => undefined };
  await small.publish();
  const { warehouse } = small.lake.layout;
  const older = await readFile(warehouse);
  const key = join(folder, 'second.pem');
  await writeKey(key, root);
  const file = join(folder, 'second.json');
  await writeFile(file, canonicalFile(await certifyLake({ root, key }, caller)));

  await small.land(LIST.blocks, { keys: [''], records: [block({ gasUsed: '7' })] });
  await small.publish();
  await writeFile(warehouse, older);
  const { outcome } = await verifyCertificate({ file, data: root, env: {} }, caller);
  expect(outcome).toBe('refused');
});
