import { writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freshFolder } from '../../../../test/fixtures/when-over.ts';
import { tablesSource } from '../../../src/memory/records-source.ts';
import { parseFaultPlan } from '../../../src/settings/fault-plan.ts';
import { adminPortOf, checkFaults, faultsIn, keysOf } from '../../../src/verb/serve-settings.ts';

async function file(text: string): Promise<string> {
  const folder = await freshFolder();
  await writeFile(join(folder, 'faults.yaml'), text);
  return join(folder, 'faults.yaml');
}

describe('the settings of a service', () => {
  it('have no keys where everybody may ask, and cannot have both', async () => {
    expect(await keysOf({ auth: false })).toEqual([]);
    await expect(keysOf({ auth: false, keys: 'keys.json' })).rejects.toMatchObject({
      kind: 'usage',
      exitCode: 2,
    });
  });

  it('have the faults of a file, or none', async () => {
    expect(await faultsIn(undefined)).toBeUndefined();
    const named = await file('faults: [{ fault: html }]');
    expect(await faultsIn(named)).toMatchObject({ faults: [{ fault: 'html', status: 502 }] });
  });

  it.each(['nowhere/faults.yaml', tmpdir()])('refuse %s, which is no file', async (name) => {
    await expect(faultsIn(name)).rejects.toMatchObject({ kind: 'configuration', where: name });
  });

  it('refuse faults that the source cannot follow, and name their file', () => {
    const plan = parseFaultPlan({ text: 'chain: { advancePerRequest: 1 }', file: 'f' });
    expect(() => checkFaults(plan, 'grow.yaml', tablesSource(new Map()))).toThrowError(
      expect.objectContaining({ where: 'grow.yaml', kind: 'configuration' }) as Error,
    );
  });

  it('have a port of the administration only where there is one', () => {
    expect(adminPortOf({})).toBeUndefined();
    expect(adminPortOf({ admin: true })).toBe(0);
    expect(adminPortOf({ admin: true, adminPort: '8081' })).toBe(8081);
    expect(() => adminPortOf({ admin: true, adminPort: '65536' })).toThrow('--admin-port');
    expect(() => adminPortOf({ adminPort: '1' })).toThrow('--admin-port needs --admin');
  });
});
