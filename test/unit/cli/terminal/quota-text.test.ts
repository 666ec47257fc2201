import { expect, it } from 'vitest';
import {
  planQuotaText,
  quotaOfPlan,
  quotaText,
  quotaUseDocument,
} from '../../../../src/cli/terminal/quota-text.ts';

const fitOf = (perDay: number, usedToday: number, requests: number) =>
  quotaOfPlan({ perDay, usedToday }, requests);

it.each([
  [100, 0, 0, 0],
  [100, 0, 100, 1],
  [100, 0, 101, 2],
  [100, 90, 10, 1],
  [100, 90, 11, 2],
  [100, 100, 1, 2],
  [100, 250, 200, 3],
])('of %i a day with %i used, %i requests take %i days', (perDay, used, requests, days) => {
  expect(fitOf(perDay, used, requests).days).toBe(days);
});

it('a plan and a status tell the quota', () => {
  expect(planQuotaText(fitOf(10_000, 1_000, 500), false)).toBe(
    'Quota: 9,000 of 10,000 requests a day are left today (UTC); the plan fits.',
  );
  expect(planQuotaText(fitOf(100, 0, 250), true)).toBe(
    'Quota: 100 of 100 requests a day are left today (UTC); the plan does not fit and takes at ' +
      'least 3 days, with a run on each.',
  );
  expect(quotaText({ perDay: 100, usedToday: 40 })).toBe(
    'Quota: 40 of 100 requests a day are used today (UTC).',
  );
});

it('a status has the time of the next request where the quota is used up', () => {
  const usedUpUntilMs = Date.parse('2026-01-03T00:00:00Z');
  expect(quotaText({ perDay: 100, usedToday: 100, usedUpUntilMs })).toBe(
    'Quota: 100 of 100 requests a day are used today (UTC); the next day begins ' +
      '2026-01-03 00:00:00 UTC.',
  );
  expect(quotaUseDocument({ perDay: 100, usedToday: 100, usedUpUntilMs }).usedUpUntil).toBe(
    '2026-01-03T00:00:00.000Z',
  );
  expect(quotaUseDocument({ perDay: 100, usedToday: 40 }).usedUpUntil).toBeNull();
});
