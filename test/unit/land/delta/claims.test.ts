import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import type { CoverageEntry } from '../../../../src/coverage/coverage.ts';
import {
  KeyNames,
  readClaims,
  type StoredClaims,
  storedClaims,
} from '../../../../src/land/delta/claims.ts';
import { claimsOf } from '../../../../src/land/delta/ledger.ts';
import { EMPTY_LOG, sealed } from '../../../../src/land/delta/log-entry.ts';
import { coverageBeforeCut, lostByCut } from '../../../../src/land/verify/lost-coverage.ts';
import { type TableVerification, verifyTable } from '../../../../src/land/verify/verify-table.ts';
import { SealedLog } from '../../../fixtures/sealed-log.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

/** Goal: entries are small, and say the same as entries that repeat every key. */

const LIST = 'mainchain/block/block-fills';
const NOW_MS = 1_700_000_000_000;

function covering(key: string, from: number, more: Partial<CoverageEntry> = {}): CoverageEntry {
  const options = { endpoint: LIST, variant: '', key, from, to: from + 9_999 };
  return { ...options, status: 'complete', reason: '', head: 99, readAtMs: NOW_MS, ...more };
}

function address(at: number): string {
  return `0x${createHash('sha256').update(String(at)).digest('hex').slice(0, 40)}`;
}

function hash(at: number): string {
  return `0x${createHash('sha256').update(String(at)).digest('hex')}`;
}

/** The entries of the next window of 1,280 addresses in groups of 20, each read at its own time. */
function window(at: number): CoverageEntry[] {
  return Array.from({ length: 64 * 20 }, (_, i) => {
    const more = { head: 10_000 * at + 20_000, readAtMs: NOW_MS + 977 * at + Math.floor(i / 20) };
    return covering(address(i), 10_000 * at, more);
  });
}

describe('stored claims', () => {
  it('of 64 slices with 20 known keys have less than 2 KB', () => {
    const names = new KeyNames();
    const first = storedClaims(claimsOf(window(0)), names);
    names.add(first.names?.first ?? -1, first.names?.keys ?? []);
    expect(names.size).toBe(1280);
    const second = storedClaims(claimsOf(window(1)), names);
    expect(JSON.stringify(second).length).toBeLessThan(2_000);
    expect(readClaims(second, names)).toEqual({ claims: claimsOf(window(1)), unknown: [] });
  });

  it('have an order of keys of their own for 32 bytes in hexadecimal, and the earliest time', () => {
    const keys = [hash(1), hash(2), hash(3)];
    const claims = claimsOf(keys.map((key, i) => covering(key, 0, { readAtMs: NOW_MS - i })));
    const stored = storedClaims(claims, new KeyNames());
    expect(stored.names).toBeUndefined();
    expect(stored.hashes).toHaveLength(128);
    const { key: _, ...rest } = covering('', 0, { readAtMs: NOW_MS - 2 });
    const read = [{ ...rest, keys: keys.sort() }];
    expect(readClaims(stored, new KeyNames())).toEqual({ claims: read, unknown: [] });
  });

  it('keep the order of claims of one key', () => {
    const parts = [
      covering('0xa', 0),
      covering('0xa', 5, { status: 'failed' }),
      covering('0xa', 0),
    ];
    const names = new KeyNames();
    const stored = storedClaims(claimsOf(parts), names);
    names.add(0, ['0xa']);
    expect(readClaims(stored, names).claims.map(({ from, status }) => [from, status])).toEqual([
      [0, 'complete'],
      [5, 'failed'],
      [0, 'complete'],
    ]);
  });

  it('whose keys are not known are returned apart from the others', () => {
    const names = new KeyNames();
    names.add(0, ['0xa', '0xb']);
    const stored = storedClaims(claimsOf([covering('0xa', 0), covering('0xb', 0)]), names);
    const fewer = new KeyNames();
    fewer.add(1, ['0xb']);
    const { key: _, ...rest } = covering('', 0);
    const claim = { ...rest, keys: ['0xb'] };
    expect(readClaims(stored, fewer)).toEqual({ claims: [claim], unknown: [claim] });
  });

  it.each<[string, Partial<StoredClaims>]>([
    ['a list that it does not name', { lists: [] }],
    ['an outcome that it does not name', { outcomes: [] }],
    ['a height below 0', { rows: [[0, 0, -1, 0, 0, 0, 0, 1]] }],
    ['hashes without a claim', { hashes: Buffer.alloc(32).toString('base64') }],
    ['a claim without its hashes', { looked: [[0, 0, 0, 0, 0, 0, 1]] }],
  ])('have %s: the entry is broken', (_, part) => {
    const names = new KeyNames();
    const stored = storedClaims(claimsOf([covering('0xa', 0)]), names);
    names.add(0, ['0xa']);
    expect(() => readClaims({ ...stored, ...part }, names)).toThrow(/^has /);
  });
});

describe('a log', () => {
  let folder = '';
  let log: SealedLog;

  beforeEach(async () => {
    folder = await freshFolder();
    log = new SealedLog(join(folder, 'blocks'));
  });
  const append = (...coverage: CoverageEntry[]) =>
    log.append({ ledger: { coverage: claimsOf(coverage) } });

  /** Changes an entry and seals it again. */
  async function replace(version: number, from: string, to: string): Promise<void> {
    const text = await readFile(log.pathOf(version), 'utf8');
    expect(text).toContain(from);
    const seal = /"seal":\{"before":"([0-9a-f]{64})","sha256":"[0-9a-f]{64}"\},/;
    const before = seal.exec(text)?.[1] ?? EMPTY_LOG;
    await writeFile(log.pathOf(version), sealed(text.replace(seal, '').replace(from, to), before));
  }

  it.each([
    ['numbers its keys from elsewhere', '"first":0', '"first":1'],
    ['has coverage of keys that no entry names', ',0,1]]', ',1,1]]'],
  ])('%s: it is corrupt', async (finding, from, to) => {
    await append(covering('0xa', 0));
    await replace(0, from, to);
    await expect(log.open().refresh()).rejects.toMatchObject({
      kind: 'lake',
      message: `The table's log is corrupt: the entry ${finding}.`,
    });
  });

  describe('whose first entry is damaged', () => {
    let table: TableVerification;

    beforeEach(async () => {
      await append(covering('0xa', 0));
      await append(covering('0xb', 0), covering('0xa', 20_000));
      await append(covering('0xa', 20_000));
      const text = await readFile(log.pathOf(0), 'utf8');
      await writeFile(log.pathOf(0), text.replace('"0xa"', '"0xc"'));
      table = await verifyTable({ chain: 'C', table: 'blocks', folder: log.table });
      expect(table.log.damaged.map(({ version }) => version)).toEqual([0]);
    });

    const lost = async (version: number) => {
      const entries = [covering('0xa', 0), covering('0xa', 20_000), covering('0xb', 0)];
      const before = await coverageBeforeCut(table, 0, { version, entries });
      const all = lostByCut(before.coverage, before);
      return { isWhole: before.isWhole, lost: all.map(({ key, from }) => [key, from]) };
    };

    it('takes its keys from no damaged entry: any key of the index may have been read', async () => {
      expect(await lost(2)).toEqual({
        isWhole: true,
        lost: [
          ['0xa', 20_000],
          ['0xb', 0],
        ],
      });
    });

    it('has unknown coverage where its entries are newer than the index', async () => {
      expect(await lost(1)).toMatchObject({ isWhole: false });
    });
  });
});
