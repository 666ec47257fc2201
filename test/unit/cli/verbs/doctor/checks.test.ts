import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import {
  certificateDiagnosis,
  checkDns,
} from '../../../../../src/cli/verbs/doctor/address-checks.ts';
import { checkSchedule } from '../../../../../src/cli/verbs/doctor/schedule-check.ts';
import { checkClock, checkPageSizes } from '../../../../../src/cli/verbs/doctor/service-checks.ts';
import { parsePipeline } from '../../../../../src/pipeline/read-pipeline.ts';
import { A, SMALL } from '../../../../fixtures/pipeline-small.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

/** Goal: the checks that need no service; doctor.test.ts has the others. */

let folder = '';
beforeEach(async () => {
  folder = await freshFolder();
});

it('a list that is not answered until the end of the patience is one failure', async () => {
  const stop = new AbortController();
  const call = () => {
    stop.abort();
    return Promise.reject(stop.signal.reason);
  };
  const pipeline = parsePipeline({ text: SMALL.join('\n'), file: 'p.yaml' });
  const service = { pipeline, keys: { addresses: [A] }, connection: { caller: { call } } };
  const options = { ...service, effects: { now: () => 0 }, signal: stop.signal };
  const heads = { primary: { head: 100, safe: 90, depthLimit: 0 } };
  expect(await checkPageSizes(options as never, heads as never)).toMatchObject([
    { verdict: 'fail', finding: 'The service does not answer in time.' },
  ]);
});

describe('a schedule', () => {
  it('that no run has followed gives a warning', async () => {
    const nowMs = Date.UTC(2026, 5, 10, 12);
    const schedule = {
      cron: '0 3 * * *',
      timeZone: 'UTC',
      jitterMs: 0,
      onOverlap: 'skip',
      timeoutMs: undefined,
    } as const;
    await mkdir(join(folder, 'runs'));
    const verdict = async (endedAt: string, pipeline = 'p') => {
      const report = JSON.stringify({ pipeline, startedAt: endedAt, endedAt });
      await writeFile(join(folder, 'runs/20260601T030000Z-1.json'), report);
      return (await checkSchedule({ name: 'p', schedule }, folder, nowMs)).verdict;
    };
    expect(await verdict('2026-06-10T03:10:00Z')).toBe('ok');
    expect(await verdict('2026-06-09T03:10:00Z')).toBe('warn');
    expect(await verdict('2026-06-01T03:10:00Z', 'another')).toBe('ok');
  });
});

it('a clock may differ by three seconds; more gives a warning, as runs correct it', () => {
  const verdict = (aheadMs: number) =>
    checkClock({ servedMs: 1_000_000 - 500 - aheadMs, sentMs: 999_990, receivedMs: 1_000_010 })
      .verdict;
  expect([0, 3_000, -3_000].map(verdict)).toEqual(['ok', 'ok', 'ok']);
  expect([3_001, -3_001, 300_000].map(verdict)).toEqual(['warn', 'warn', 'warn']);
});

it('a host that is an address needs no name', async () => {
  expect((await checkDns('http://[::1]:8080')).finding).toBe(
    '::1 is an address, so no name is looked up.',
  );
});

it('a certificate that ends soon gives a warning', () => {
  const nowMs = Date.UTC(2026, 0, 1);
  const DAY_MS = 86_400_000;
  expect(certificateDiagnosis(nowMs + 13 * DAY_MS, nowMs).verdict).toBe('warn');
  expect(certificateDiagnosis(nowMs + DAY_MS, nowMs).finding).toBe(
    'The certificate ends in 1 day.',
  );
  expect(certificateDiagnosis(nowMs + 14 * DAY_MS, nowMs).verdict).toBe('ok');
});
