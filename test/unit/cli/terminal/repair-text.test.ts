import { expect, it } from 'vitest';
import { repairLines } from '../../../../src/cli/terminal/repair-text.ts';
import type { Damage } from '../../../../src/land/verify/verify-lake.ts';
import type { Repair } from '../../../../src/run/repair.ts';

/** Goal: however many keys, files and slices a repair concerns, its output can be read. */

const LIST = 'mainchain/address/normal-transaction-list-multi';
const keys = Array.from({ length: 200 }, (_, i) => `0x${i}`);

const damage = (i: number): Damage => ({
  chain: 'MAINCHAIN',
  table: 'transactions',
  kind: 'data file',
  path: `part-${i}.parquet`,
  finding: 'The data file is missing.',
  rows: 1200,
  regions: keys.map((key, at) => {
    return { endpoint: LIST, variant: '', keys: [key], from: at * 10, to: at * 10 + 9 };
  }),
});

const repair = (more: Partial<Repair>): Repair => ({
  before: { tables: [], damages: [damage(0)] },
  after: { tables: [], damages: [] },
  mended: [],
  cut: [],
  lost: [],
  unknown: [],
  gone: [],
  foreign: [],
  failed: [],
  short: 0,
  counts: { slices: 0, rows: 0 },
  isStopped: false,
  aside: undefined,
  ...more,
});

it('names a file once, with its rows, its list, its blocks and the first of its keys', () => {
  expect(repairLines(repair({}))).toEqual([
    '1 file of the lake is damaged.',
    '  part-0.parquet: The data file is missing. It held 1,200 rows.',
    `    ${LIST}, blocks 0 to 1,999 (in 200 ranges), 200 keys: 0x0, 0x1, 0x2 and 197 more`,
    'Everything was restored or fetched again.',
  ]);
});

it('groups lost keys by reason and list, and says that everything else is whole', () => {
  const region = { endpoint: LIST, variant: '', from: 0, to: 9 };
  const lost = ['it is gone', 'it is old'].flatMap((reason) =>
    keys.slice(0, 4).map((key) => ({ ...region, keys: [key], reason })),
  );
  const listed = `  ${LIST}, blocks 0 to 9, 4 keys: 0x0, 0x1, 0x2 and 1 more`;
  expect(repairLines(repair({ lost })).slice(3)).toEqual([
    'Not fetched again, because it is gone:',
    listed,
    'Not fetched again, because it is old:',
    listed,
    'Everything else was restored or fetched again.',
  ]);
});

it('shows the first of many files and failed slices, and does not say that nothing was changed', () => {
  const damages = Array.from({ length: 30 }, (_, i) => damage(i));
  const failed = keys.map((key) => {
    const slice = { slice: key, endpoint: LIST, variant: '', keys: [key], from: 0, to: 9 };
    return { ...slice, reason: 'the service is down' };
  });
  const before = { tables: [], damages };
  const after = { tables: [], damages: [damage(0)] };
  const lines = repairLines(repair({ before, after, failed }));
  expect(lines).toContain('  and 20 more: see --json');
  expect(lines).toContain('200 slices failed:');
  expect(lines).toContain('  and 190 more: see --json');
  expect(lines.at(-1)).toMatch(/^Still damaged: /);
  expect(lines.join('\n')).not.toContain('Nothing was changed');
});
