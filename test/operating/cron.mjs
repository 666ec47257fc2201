import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ran } from './tools.mjs';

/** A minute until cron looks at the line, and a run on a busy machine. */
const PATIENCE_MS = 900_000;

/**
 * Whether Debian's cron runs the line of every minute: installs it in the crontab of this user, then
 * starts the daemon, waits for the report of a run, and puts the former crontab back.
 */
export async function runByCron(tally, folder, crontab) {
  const before = ran('crontab', ['-l']);
  const report = join(folder, 'data/runs/last_run.json');
  let cron;
  let said = '';
  try {
    const file = join(folder, 'minute.crontab');
    writeFileSync(file, crontab);
    const installed = ran('crontab', [file]);
    tally.holds('crontab accepts the line', installed.code === 0, installed.output);
    cron = spawn('cron', ['-f'], { stdio: ['ignore', 'ignore', 'pipe'] });
    cron.stderr.on('data', (part) => (said += part));
    for (let waitedMs = 0; !existsSync(report) && waitedMs < PATIENCE_MS; waitedMs += 500) {
      await delay(500);
    }
    const isRun = existsSync(report);
    const facts = { ended: cron.exitCode, said, files: readdirSync(folder, { recursive: true }) };
    tally.holds("Debian's cron runs the line", isRun, facts);
    if (isRun) {
      // The report may be half written when it appears.
      await delay(1_000);
      tally.equal('and its run is complete', JSON.parse(readFileSync(report, 'utf8')).exitCode, 0);
    }
  } finally {
    if (before.code === 0) ran('crontab', ['-'], { input: before.output });
    else ran('crontab', ['-r']);
    cron?.kill();
  }
}
