import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { thisProcess } from '../../../../src/land/lock/holder.ts';
import { closeReport, openReport } from '../../../../src/land/reports/run-reports.ts';
import { type Disk, localDisk } from '../../../../src/land/storage/disk.ts';
import { layout } from '../../../../src/land/storage/layout.ts';
import { type Deliver, DeliveryFailure } from '../../../../src/run/alerts/deliver/receiver.ts';
import type { Alert } from '../../../../src/run/alerts/rules/alert-state.ts';
import type { RunOutcome } from '../../../../src/run/alerts/rules/outcome.ts';
import { type AlertJob, openAlerts, sendAlerts } from '../../../../src/run/alerts/send-alerts.ts';
import { HOUR, outcomeAt, ruleOf, runAt } from '../../../fixtures/alert-rules.ts';
import { jumpingClock } from '../../../fixtures/jumping-clock.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';
import { dyingDisk } from '../../../model/dying-disk.ts';

/** Goal: no alert is lost: not by a crash, a receiver that is down, a full disk or a killed run. */

const RULES = [ruleOf('failed'), ruleOf('stale', { afterMs: 26 * HOUR }), ruleOf('recovered')];
let root = '';
beforeEach(async () => {
  root = await freshFolder();
});

/** A receiver in memory, that fails while `isDown` says so. */
function inbox(isDown: () => boolean = () => false) {
  const got: Alert[] = [];
  const receiver: Deliver = async (alert) => {
    if (isDown()) throw new DeliveryFailure('down', { isRetryable: true });
    got.push(alert);
  };
  return { got, receiver };
}

function jobOf(receiver: Deliver, clock = jumpingClock(), disk: Disk = localDisk): AlertJob {
  return {
    pipeline: { name: 'nightly', alerts: { destinations: {}, rules: RULES } },
    file: 'nightly.yaml',
    layout: layout(root),
    disk,
    effects: clock,
    destinations: new Map([['team', receiver]]),
  };
}

function send(job: AlertJob, ended?: RunOutcome) {
  return sendAlerts(job, ended);
}

const rulesOf = (alerts: readonly Alert[]) => alerts.map(({ rule }) => rule);

test('without rules nothing is written', async () => {
  const job = jobOf(inbox().receiver);
  const pipeline = { name: 'nightly', alerts: { destinations: {}, rules: [] } };
  await send({ ...job, pipeline }, outcomeAt(1, 'failed'));
  expect(await localDisk.list(root)).toEqual([]);
});

test('an alert waits for a receiver that is down, and arrives once', async () => {
  let isDown = true;
  const { got, receiver } = inbox(() => isDown);
  const clock = jumpingClock();
  const job = jobOf(receiver, clock);
  const { undelivered } = await send(job, outcomeAt(1, 'failed'));
  expect(undelivered).toEqual([{ to: 'team', reason: 'down' }]);
  expect(clock.logged[0]).toContain('warn: An alert did not reach team: down.');
  isDown = false;
  await send(job);
  await send(job);
  expect(rulesOf(got)).toEqual(['failed']);
});

test('an alert is given up after a week, and the next one says so', async () => {
  let isDown = true;
  const { got, receiver } = inbox(() => isDown);
  const clock = jumpingClock();
  const job = jobOf(receiver, clock);
  const at = (): Partial<RunOutcome> => ({ atMs: clock.now() });
  await send(job, outcomeAt(1, 'failed', at()));
  await clock.sleep(8 * 24 * HOUR);
  isDown = false;
  await send(job, outcomeAt(2, 'failed', at()));
  expect(
    got.every(({ text }) => text.endsWith('1 earlier alert could not be delivered here.')),
  ).toBe(false);
  expect(got[0]?.text).toContain('1 earlier alert could not be delivered here.');
});

test('a killed run is found by a later look, and one under way is not judged', async () => {
  const { got, receiver } = inbox();
  const clock = jumpingClock();
  const job = jobOf(receiver, clock);
  await send(job);
  const parts = { pipeline: 'nightly', startedAt: '2025-01-01T00:00:00.000Z', isWhole: true };
  const alive = thisProcess(clock.now());
  const open = (run: string, process: object) =>
    openReport(job.layout, localDisk, run, JSON.stringify({ run, ...parts, process }));
  await open(runAt(1), alive);
  await send(job);
  expect(got).toEqual([]);
  await open(runAt(1), { ...alive, started: '1' });
  await send(job);
  expect(got[0]?.text).toMatch(/the process ended without a report: .*\w\.$/);
  expect(got).toHaveLength(1);
});

test('a first run that is killed is found by the first look', async () => {
  const { got, receiver } = inbox();
  const clock = jumpingClock();
  const job = jobOf(receiver, clock);
  const dead = { ...thisProcess(clock.now()), started: '1' };
  const parts = { pipeline: 'nightly', startedAt: '2025-01-01T00:00:00.000Z', isWhole: true };
  for (const run of [runAt(1), runAt(2)]) {
    await openReport(job.layout, localDisk, run, JSON.stringify({ run, ...parts, process: dead }));
  }
  await send(job);
  await send(job);
  expect(got.map(({ run }) => run)).toEqual([runAt(2)]);
});

test('runs before the first look cause no alert, and a run that no process told of does', async () => {
  const { got, receiver } = inbox();
  const job = jobOf(receiver);
  const report = (run: string, exitCode: number, pipeline = 'nightly') => {
    const at = '2025-01-01T00:00:00.000Z';
    const document = JSON.stringify({ run, pipeline, startedAt: at, endedAt: at, exitCode });
    return closeReport(job.layout, localDisk, run, document);
  };
  await report(runAt(1), 1);
  await send(job);
  await report(runAt(2), 1, 'other');
  await report(runAt(3), 1);
  await send(job);
  expect(got.map(({ run }) => run)).toEqual([runAt(3)]);
});

test.each([
  ['is damaged', (path: string) => writeFile(path, '{"version":1,"pipe')],
  ['cannot be read', (path: string) => rm(path).then(() => mkdir(path))],
])('a state that %s counts as empty, and only a save moves it aside', async (_, damage) => {
  const { got, receiver } = inbox();
  const job = jobOf(receiver);
  await send(job, outcomeAt(1, 'failed'));
  await damage(job.layout.alerts);
  const names = await localDisk.list(job.layout.state);
  expect((await openAlerts(job)).values).toEqual({});
  expect(await localDisk.list(job.layout.state)).toEqual(names);
  await send(job, outcomeAt(2, 'failed'));
  expect((await localDisk.list(job.layout.state)).join()).toContain('alerts.json.damaged-');
  expect(rulesOf(got)).toEqual(['failed', 'failed']);
});

test('a crash at any step loses no alert, and repeats one only between sending and recording', async () => {
  const histories = [outcomeAt(1, 'failed'), outcomeAt(2, 'complete')];
  let isOver = false;
  for (let killAt = 1; !isOver; killAt += 1) {
    root = await freshFolder();
    const { got, receiver } = inbox();
    let died = 0;
    const killed = dyingDisk(localDisk, killAt, new Error('killed'));
    for (const outcome of histories) {
      await send(jobOf(receiver, jumpingClock(outcome.atMs), killed), outcome).catch(() => {
        died += 1;
      });
    }
    // A new process; the reports of both runs are on disk.
    for (const outcome of histories) {
      await send(jobOf(receiver, jumpingClock(outcome.atMs)), outcome);
    }
    const distinct = [...new Map(got.map((alert) => [alert.id, alert])).values()];
    expect(rulesOf(distinct), `killed at ${killAt}`).toEqual(['failed', 'recovered']);
    expect(got.length - distinct.length, `killed at ${killAt}`).toBeLessThanOrEqual(1);
    isOver = died === 0;
  }
});

test('on a full disk the state takes its reserve, so that hourly failures have one alert', async () => {
  const { got, receiver } = inbox();
  const at = (hour: number, disk?: Disk) => jobOf(receiver, jumpingClock(hour * HOUR), disk);
  await send(at(0), outcomeAt(0, 'complete'));
  const full = fullDisk();
  for (let hour = 1; hour <= 8; hour += 1) {
    await send(at(hour, full), outcomeAt(hour, 'failed'));
  }
  expect(rulesOf(got)).toEqual(['failed']);
  await send(at(9), outcomeAt(9, 'complete'));
  expect(rulesOf(got)).toEqual(['failed', 'recovered']);
  expect((await localDisk.list(join(root, 'state'))).sort()).toContain('alerts.reserve');
});

/** Refuses every write while the reserve of the alerts is in its place, as a full disk would. */
function fullDisk(): Disk {
  return {
    ...localDisk,
    write: async (path, text) => {
      const isFull = (await localDisk.list(join(root, 'state'))).includes('alerts.reserve');
      if (isFull || path.includes('reserve')) {
        throw Object.assign(new Error('ENOSPC: no space left on device'), { code: 'ENOSPC' });
      }
      await localDisk.write(path, text);
    },
  };
}

test('the state names neither destinations by URL nor secrets', async () => {
  await send(jobOf(inbox().receiver), outcomeAt(1, 'failed'));
  const text = await readFile(join(root, 'state', 'alerts.json'), 'utf8');
  expect(text).not.toContain('http');
});
