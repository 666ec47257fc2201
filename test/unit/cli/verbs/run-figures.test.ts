import { expect, test } from 'vitest';
import { reportLines } from '../../../../src/cli/verbs/runs.ts';
import { parseReport } from '../../../../src/land/reports/run-reports.ts';

test('a plan that knows only the least number of requests says so in the figures of a run', () => {
  const planned = { requests: 44, isLowerBound: true };
  const startedAt = '2026-01-01T00:00:00Z';
  const report = { run: 'r', pipeline: 'p', startedAt, planned, actual: { requests: 90 } };
  const lines = reportLines(parseReport(JSON.stringify(report)), 'ended');
  expect(lines.join('\n')).toContain('Planned at least 44 requests; made 90 requests');
});
