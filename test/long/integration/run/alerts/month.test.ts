import { expect, test } from 'vitest';
import { thisProcess } from '../../../../../src/land/lock/holder.ts';
import { closeReport, openReport, runReport } from '../../../../../src/land/reports/run-reports.ts';
import { type Disk, localDisk } from '../../../../../src/land/storage/disk.ts';
import { layout } from '../../../../../src/land/storage/layout.ts';
import {
  type AlertReceiver,
  DeliveryFailure,
} from '../../../../../src/run/alerts/deliver/receiver.ts';
import type { Alert } from '../../../../../src/run/alerts/rules/alert-state.ts';
import { outcomeOf } from '../../../../../src/run/alerts/rules/outcome.ts';
import { type AlertJob, sendAlerts } from '../../../../../src/run/alerts/send-alerts.ts';
import { HOUR, ruleOf } from '../../../../fixtures/alert-rules.ts';
import { jumpingClock } from '../../../../fixtures/jumping-clock.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

/**
 * Goal: over a month of hourly runs with outages, an expired key, a full disk, a day of throttling,
 * a killed run and a clock that is set back, alerts and recoveries are exactly those that the rules
 * define, and none arrives twice.
 */

const START = Date.UTC(2025, 0, 1);
const RULES = [
  ruleOf('failed'),
  ruleOf('partial'),
  ruleOf('stale', { afterMs: 26 * HOUR }),
  ruleOf('recovered'),
];

/** The exit code of the run that starts in an hour; undefined for one that is killed. */
function exitCodeAt(hour: number): number | undefined {
  const within = (from: number, to: number): boolean => hour >= from && hour <= to;
  if (within(100, 104) || within(200, 240)) return 1; // the service is down
  if (within(300, 310)) return 1; // the key has expired
  if (within(400, 407)) return 1; // the disk is full
  if (within(500, 523)) return 3; // the service throttles
  return hour === 600 ? undefined : 0;
}

const isDiskFull = (hour: number): boolean => hour >= 400 && hour <= 407;
const isReceiverDown = (hour: number): boolean => hour >= 200 && hour <= 202;

test('a month of hourly runs', async () => {
  const root = await freshFolder();
  const paths = layout(root);
  const got: Alert[] = [];
  let hour = 0;
  const receiver: AlertReceiver = {
    async deliver(alert) {
      if (isReceiverDown(hour)) throw new DeliveryFailure('down', { isRetryable: true });
      got.push(alert);
    },
  };
  // A power cut is not part of this test, and every sync would take a millisecond.
  const quick: Disk = { ...localDisk, sync: async () => {}, syncFolder: async () => {} };
  const full: Disk = {
    ...quick,
    write: async (path, text) => {
      const isFull = (await localDisk.list(paths.state)).includes('alerts.reserve');
      if (isFull || !path.includes('alerts.json')) {
        throw Object.assign(new Error('ENOSPC'), { code: 'ENOSPC' });
      }
      await quick.write(path, text);
    },
  };
  const jobAt = (atMs: number): AlertJob => ({
    file: 'nightly.yaml',
    pipeline: { name: 'nightly', alerts: { destinations: {}, rules: RULES } },
    layout: paths,
    disk: isDiskFull(hour) ? full : quick,
    effects: jumpingClock(atMs),
    destinations: new Map([['team', receiver]]),
  });
  await sendAlerts(jobAt(START - 1));
  for (hour = 0; hour < 720; hour += 1) {
    // The clock is set back by an hour at 350, and forward again at 360.
    const atMs = START + (hour - (hour >= 350 && hour < 360 ? 1 : 0)) * HOUR;
    const startedAt = new Date(atMs).toISOString();
    const name = `${startedAt.replace(/[-:]|\.\d+/g, '')}-${String(hour).padStart(6, '0')}`;
    const own = { run: name, pipeline: 'nightly', startedAt, isWhole: true };
    const exitCode = exitCodeAt(hour);
    if (exitCode === undefined) {
      const dead = { ...thisProcess(atMs), started: '1' };
      await openReport(paths, quick, name, JSON.stringify({ ...own, process: dead }));
      continue;
    }
    const document = JSON.stringify({ ...own, endedAt: startedAt, exitCode });
    await closeReport(paths, jobAt(atMs).disk, name, document).catch(() => undefined);
    const report = runReport(document);
    await sendAlerts(jobAt(atMs), report && outcomeOf(report));
    await sendAlerts(jobAt(atMs + HOUR / 2));
  }
  const lines = got.map(({ rule, atMs }) => `${(atMs - START) / HOUR}: ${rule}`);
  expect(lines).toEqual([
    '100: failed',
    '105: recovered',
    '200: failed',
    '224: failed',
    '225.5: stale',
    '241: recovered',
    '300: failed',
    '311: recovered',
    '400: failed',
    '408: recovered',
    '500: partial',
    '524: recovered',
    '600: failed',
    '601: recovered',
  ]);
  expect(new Set(got.map(({ id }) => id)).size).toBe(got.length);
});
