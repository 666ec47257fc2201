import { describe, expect, it } from 'vitest';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { added, refusal } from '../../fixtures/pipeline-small.ts';

const parsed = (text: string) => parsePipeline({ text, file: 'p.yaml' });

describe('the schedule of a pipeline', () => {
  it('has defaults, and durations in milliseconds', () => {
    expect(parsed(added('schedule: { cron: "0 3 * * *" }')).schedule).toEqual({
      cron: '0 3 * * *',
      timeZone: 'UTC',
      jitterMs: 0,
      onOverlap: 'skip',
      timeoutMs: undefined,
    });
    const full =
      'schedule: { cron: "0 3 * * 1", timeZone: Asia/Tokyo, jitter: 5m, onOverlap: queue, timeout: 2h }';
    expect(parsed(added(full)).schedule).toEqual({
      cron: '0 3 * * 1',
      timeZone: 'Asia/Tokyo',
      jitterMs: 300_000,
      onOverlap: 'queue',
      timeoutMs: 7_200_000,
    });
    expect(parsed(added('proof: standard')).schedule).toBeUndefined();
  });

  it.each([
    ['{ timeZone: UTC }', 'p.yaml:12:1: schedule.cron is missing.'],
    ['{ cron: "0 3 * *" }', 'p.yaml:12:19: schedule.cron has 4 fields instead of 5 ("0 3 * *").'],
    ['{ cron: "0 25 * * *" }', 'p.yaml:12:19: schedule.cron has a wrong hour (25) ("0 25 * * *").'],
    [
      '{ cron: "0 3 * * *", timeZone: Mars }',
      'p.yaml:12:42: schedule.timeZone is not a known time zone (Mars).',
    ],
    ['{ cron: "0 3 * * *", jitter: 5 }', 'p.yaml:12:40: schedule.jitter is not a duration (5).'],
    [
      '{ cron: "0 3 * * *", timeout: 30d }',
      'p.yaml:12:41: schedule.timeout is longer than 20 days (30d).',
    ],
    [
      '{ cron: "0 3 * * *", onOverlap: kill }',
      'p.yaml:12:43: schedule.onOverlap is not one of the allowed values (kill).',
    ],
  ])('%s is refused by its place', (schedule, message) => {
    expect(refusal(added(`schedule: ${schedule}`))).toContain(message);
  });
});
