import { createHash } from 'node:crypto';
import { parseHTML } from 'linkedom';
import { expect, test } from 'vitest';
import { WINDOW_SHARES } from '../../../../src/export/report/lake-facts.ts';
import { reportPage, verdictOf } from '../../../../src/export/report/page.ts';
import { parseReport, type RunReport } from '../../../../src/land/reports/run-reports.ts';
import { query } from '../../../../src/load/query/query.ts';
import { ExportRoot } from '../../../fixtures/export-setup.ts';
import { CODE, FORMULAS, MARKUP } from '../../../fixtures/injections.ts';
import { IS_THOROUGH } from '../../../fixtures/thorough.ts';

/** Goal: the page of a run shows its facts, runs nothing and loads nothing. */

type Parsed = ReturnType<typeof parseHTML>['document'];

function runWith(text: string): RunReport {
  const report = {
    run: '20260102T030405Z-aaaaaa',
    pipeline: text,
    startedAt: '2026-01-02T03:04:05.000Z',
    endedAt: '2026-01-02T03:05:05.500Z',
    exitCode: 3,
    planned: { requests: 10, minutes: 0.5, isLowerBound: true },
    actual: { requests: 12, rows: 3456, statuses: { [text]: 2 }, drift: { [text]: 1 } },
    pace: { ratePerSecond: 20, ceilingPerSecond: 20.04, limitedBy: 'rate' },
    rate: [0, 1, 2, 3].map((seconds) => {
      return { seconds, requests: seconds * 4, rejections: 0, ceilingPerSecond: 20 };
    }),
    captured: [{ name: text, readings: 777, rows: 1, gaps: 1 }],
    failed: [{ endpoint: text, from: 1, to: 2, reason: text }],
    checks: [
      { check: text, severity: 'error', findings: 7, examples: [{ finding: text, [text]: 1 }] },
    ],
  };
  return parseReport(JSON.stringify(report));
}

function pageWith(text: string): string {
  return reportPage(runWith(text), {
    windows: [{ axis: 'primary', dataset: text, from: 0, to: 9, share: 0.5 }],
    evidence: [{ dataset: text, complete: 99, complete_and_reconciled: 88 }],
    reconciliations: {
      titles: [text, 'native'],
      rows: [{ address: text, results: ['18211', 'agrees'] }],
      addresses: 60,
      assets: 2,
    },
    rowsPerDay: [{ day: '2026-01-02', dataset: text, rows: 5 }],
    quarantine: [{ state: text, dataset: text, reason: text, records: 1 }],
    tables: [{ chain: text, dataset: text, files: 1, rows: 2, bytes: 3_000_000 }],
    captures: {
      health: [{ hour: text, messages: 5, gaps: 1 }],
      gaps: [{ reason: text, gaps: 1 }],
      outcomes: [{ outcome: text, transactions: 7, median_seconds: 1.5 }],
      pending: [],
    },
  });
}

test('it shows every part, with charts that have a name in words', () => {
  const { document } = parseHTML(pageWith('demo'));
  const titles = [...document.querySelectorAll('h2')].map((title) => title.textContent);
  expect(titles).toEqual([
    'Planned and actual',
    'Coverage',
    'Reconciliations',
    'Rate',
    'Rows per day',
    'Captures',
    'Checks',
    'Quarantine',
    'Drift',
    'Storage',
  ]);
  const charts = [...document.querySelectorAll('svg')];
  expect(charts).toHaveLength(8);
  for (const chart of charts) {
    expect(chart.getAttribute('role')).toBe('img');
    expect(chart.getAttribute('aria-label')?.length).toBeGreaterThan(20);
  }
  const text = document.body.textContent ?? '';
  for (const part of [
    '3,456',
    'Partial:',
    'The learned limit is 20.0',
    'The first of 7',
    '777',
    'Gaps by reason',
    'complete_and_reconciled',
    'block 18211',
    '1 of 60 addresses',
  ]) {
    expect(text).toContain(part);
  }
});

test('its policy allows its own style and nothing else', () => {
  const page = pageWith('demo');
  const [, style = ''] = /<style>([\s\S]*?)<\/style>/.exec(page) ?? [];
  const digest = createHash('sha256').update(style).digest('base64');
  expect(page).toContain(`default-src &#39;none&#39;; style-src &#39;sha256-${digest}&#39;`);
  expect(page.match(/<style>/g)).toHaveLength(1);
  expect(page).not.toMatch(/<script|\sstyle="|\son\w+="|https?:\/\/(?!www\.w3\.org)/);
});

const namesOn = (document: Parsed): string[] =>
  [...document.querySelectorAll('*')].flatMap(({ localName }) => {
    // A label of several lines has several spans.
    return localName === 'tspan' ? [] : [localName];
  });
const clean = namesOn(parseHTML(pageWith('demo')).document);
const texts = [...MARKUP, ...FORMULAS, ...CODE].filter((_, i) => IS_THOROUGH || i % 4 === 0);

test.each(texts)('%j is text on the page', (text) => {
  expect(namesOn(parseHTML(pageWith(text)).document)).toEqual(clean);
});

test('shares count blocks times keys, and windows without requests are left out', async () => {
  const made = await ExportRoot.make(`CREATE TABLE coverage AS
    SELECT 'primary' AS axis, 'blocks' AS dataset, * FROM (VALUES (0, 9, 'complete'),
      (0, 9, 'complete'), (0, 9, 'complete'), (0, 9, 'truncated'), (200, 239, 'complete')
    ) AS t(from_block, to_block, status)`);
  const { rows: shares } = await query(made.layout.warehouse, WINDOW_SHARES);
  expect(shares.slice(0, 2)).toEqual([
    { axis: 'primary', dataset: 'blocks', from: 0, to: 9, share: 0.75 },
    { axis: 'primary', dataset: 'blocks', from: 200, to: 209, share: 1 },
  ]);
  expect(shares).toHaveLength(5);
});

test('a run that captured rows without a list does not say that everything was there', () => {
  const idle = { ...runWith('demo'), exitCode: 0, nothingToDo: true };
  const verdict = (rows: number): string => {
    return verdictOf({ ...idle, captured: [{ name: 'pending', readings: 1, rows, gaps: 0 }] }).text;
  };
  expect([verdict(0), verdict(1)]).toEqual([
    'Nothing to fetch: all requested blocks were read before.',
    'Complete, but for these slices: 2 demo (accepted).',
  ]);
});

test.each([
  [{ complete: 2 }, ': all requested records below the safe height are there.'],
  [
    { provisional: 1234 },
    ', but for these slices: 1,234 provisional (later runs read them again).',
  ],
  [{ truncated: 1 }, ', but for these slices: 1 truncated (accepted).'],
])('a run whose slices ended as %j says so', (statuses, rest) => {
  const text = `Complete${rest}`;
  const run = { ...runWith('demo'), actual: { statuses } };
  expect(verdictOf({ ...run, exitCode: 0 })).toEqual({ kind: 'good', text });
  const warned = { kind: 'warn', text: `${text} Checks have findings.` };
  expect(verdictOf({ ...run, exitCode: 4 })).toEqual(warned);
});
