import { describe, expect, test } from 'vitest';
import {
  changesIn,
  EVERY_HEIGHT,
  listedHeights,
} from '../../../../src/land/delta/changed-heights.ts';
import { type CoverageClaim, KeyNames } from '../../../../src/land/delta/claims.ts';
import { type Ledger, ledger, storedLedger } from '../../../../src/land/delta/ledger.ts';
import { linesOf } from '../../../../src/land/delta/log-entry.ts';

/** Goal: curating misses no change, and does nothing where only files were rearranged. */

const NO_END = Number.MAX_SAFE_INTEGER;

const NAMES = new KeyNames();
NAMES.add(0, ['0xa', '', '0x01', '0x02']);

function changes(...entries: readonly (readonly object[])[]) {
  return changesIn(
    entries.map((lines) =>
      linesOf(Buffer.from(`${lines.map((line) => JSON.stringify(line)).join('\n')}\n`)),
    ),
    NAMES,
  );
}

const changed = (...entries: readonly (readonly object[])[]) => changes(...entries).heights;

function entry(from: number, to: number): CoverageClaim {
  const options = { endpoint: 'e', variant: '', keys: ['0xa'], status: 'complete' as const };
  return { ...options, reason: '', from, to, head: 99, readAtMs: 0 };
}

/** The beginning of an entry of windrow, with this coverage. */
function fields(operation: string, options: Partial<Ledger> = {}): object {
  const { coverage = [], ...parts } = options;
  const windrow = { ...storedLedger({ ...ledger('test', {}), coverage }, NAMES), ...parts };
  return { commitInfo: { timestamp: 0, operation, windrow } };
}

const foreign = (operation: string): object => ({ commitInfo: { timestamp: 0, operation } });
const add = (dataChange?: boolean): object => ({
  add: {
    path: 'a.parquet',
    partitionValues: {},
    size: 1,
    modificationTime: 0,
    ...(dataChange === undefined ? {} : { dataChange }),
  },
});
const remove = (dataChange?: boolean): object => ({
  remove: { path: 'b.parquet', ...(dataChange === undefined ? {} : { dataChange }) },
});

describe('commits of windrow', () => {
  test('change the heights of the coverage that they carry', () => {
    const commits = [
      [fields('WINDROW COMMIT', { coverage: [entry(5, 9), entry(8, 12)] }), add(true)],
      [fields('WINDROW COMMIT', { coverage: [entry(40, 40)] })],
    ];
    expect(changed(...commits)).toEqual([
      { from: 5, to: 12 },
      { from: 40, to: 40 },
    ]);
    expect(changed()).toEqual([]);
  });

  test('of look-ups by hash change the transactions with these hashes alone', () => {
    const endpoint = 'mainchain/transaction/transaction-multi';
    const keys = ['0x01', '0x02'];
    const lookUp = { ...entry(0, 9_999), endpoint, keys };
    expect(changes([fields('WINDROW COMMIT', { coverage: [entry(5, 9), lookUp] })])).toEqual({
      heights: [{ from: 5, to: 9 }],
      keyed: [{ kind: 'transaction', from: 0, to: 9_999, keys, hasRemovals: false }],
    });
  });

  test('of lists by address or token change the rows of these keys alone', () => {
    const byAddress = { ...entry(0, 9), endpoint: 'mainchain/address/normal-transaction-list' };
    const byToken = { ...entry(20, 29), endpoint: 'mainchain/token/transaction-list' };
    const inBlocks = { ...entry(40, 49), endpoint: 'mainchain/block/block-fills', keys: [''] };
    const commit = fields('WINDROW COMMIT', { coverage: [byAddress, byToken, inBlocks] });
    const results = changes([commit, remove(true)]);
    expect(results).toEqual({
      heights: [{ from: 40, to: 49 }],
      keyed: [
        { kind: 'address', from: 0, to: 9, keys: ['0xa'], hasRemovals: true },
        { kind: 'token', from: 20, to: 29, keys: ['0xa'], hasRemovals: true },
      ],
    });
    expect(listedHeights(results)).toEqual([
      { from: 0, to: 9 },
      { from: 20, to: 29 },
      { from: 40, to: 49 },
    ]);
  });

  test('of a reorganisation change every height above it', () => {
    const reorganised = fields('WINDROW REORGANISATION', { reorganisations: [{ height: 70 }] });
    expect(changed([reorganised, remove(true)])).toEqual([{ from: 70, to: NO_END }]);
  });

  test('that forget keys change the heights of their coverage', () => {
    const keys = { endpoint: 'e', variant: '', keys: ['0xa'], from: 5, to: 9, heirs: [] };
    const forgotten = fields('WINDROW FORGET', { forgotten: [keys] });
    expect(changed([forgotten, remove(true), add(true)])).toEqual([{ from: 5, to: 9 }]);
  });

  test('that compact files change nothing', () => {
    expect(changed([fields('OPTIMIZE'), add(true), remove(true)])).toEqual([]);
  });

  test('of a repair change every height, because they remove whole files', () => {
    const repair = fields('WINDROW REPAIR', { coverage: [entry(5, 9)] });
    expect(changed([repair, remove(true)])).toEqual(EVERY_HEIGHT);
  });
});

describe('commits of other programs', () => {
  test('that rearrange files change nothing', () => {
    expect(changed([foreign('OPTIMIZE'), add(false), remove(false)])).toEqual([]);
    expect(changed([foreign('VACUUM START')], [foreign('SET TBLPROPERTIES')])).toEqual([]);
  });

  test.each([
    ['add rows', [foreign('WRITE'), add(true)]],
    ['remove rows', [foreign('DELETE'), remove(true)]],
    ['do not say whether data changed', [foreign('WRITE'), add()]],
    ['have no commitInfo', [add(true)]],
    ['only call themselves OPTIMIZE', [foreign('OPTIMIZE'), add(true)]],
  ])('that %s change every height', (_, lines) => {
    expect(changed([fields('WINDROW COMMIT', { coverage: [entry(5, 9)] })], lines)).toEqual(
      EVERY_HEIGHT,
    );
  });
});
