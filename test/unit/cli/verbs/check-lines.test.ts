import { expect, test } from 'vitest';
import { checkLines } from '../../../../src/cli/verbs/check.ts';
import type { CheckResult } from '../../../../src/load/checks/run-checks.ts';

const result = (more: Partial<CheckResult>): CheckResult => ({
  check: 'duplicates',
  severity: 'error',
  findings: [],
  hasMore: false,
  meaning: 'Records that stand twice. Report it.',
  ...more,
});

const numbered = (count: number) =>
  Array.from({ length: count }, (_, i) => ({ finding: `Fault ${i}`, block_number: i }));

test('a check without findings has no lines of its own', () => {
  expect(checkLines(result({}))).toEqual([]);
});

test('a finding is told with its evidence, under what findings mean and what to do', () => {
  const finding = {
    finding: '0x01 stands 2 times',
    copies: 2,
    blocks: [10, 11],
    variant: '',
    reason: 'said so twice',
    key: null,
  };
  expect(checkLines(result({ findings: [finding] }))).toEqual([
    'duplicates: 1 error',
    '  Records that stand twice. Report it.',
    '  - 0x01 stands 2 times.',
    '    copies=2 blocks=[10,11] reason="said so twice"',
  ]);
});

test('the first 20 findings of a check are told, and how many more there are', () => {
  const lines = checkLines(result({ severity: 'note', findings: numbered(1_025) }));
  expect(lines[0]).toBe('duplicates: 1,025 notes');
  expect(lines).toHaveLength(2 + 2 * 20 + 1);
  expect(lines.at(-2)).toBe('    block_number=19');
  expect(lines.at(-1)).toEqual({ text: '  - 1,005 more.', command: 'windrow check --json' });
});

test('a check that found more than it tells says so', () => {
  const lines = checkLines(result({ findings: numbered(30), hasMore: true }));
  expect(lines[0]).toBe('duplicates: at least 30 errors');
  expect(lines.at(-1)).toMatchObject({ text: '  - at least 10 more.' });
});

test('what a stranger chose moves no cursor and turns no line', () => {
  const finding = { finding: 'Token \u202eevil\u001b[2J', example: 'a\u001b[2Jb' };
  const text = checkLines(result({ findings: [finding] })).join('\n');
  expect(text.includes('\u001b') || text.includes('\u202e')).toBe(false);
  expect(text).toContain('example=a\\u{1b}[2Jb');
});
