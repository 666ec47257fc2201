import { readReport, reportNames } from '../../../land/reports/run-reports.ts';
import type { Disk } from '../../../land/storage/disk.ts';
import type { Layout } from '../../../land/storage/layout.ts';
import { requestsToday } from '../../../run/shared-key/daily-quota.ts';
import type { QuotaUse } from './quota-text.ts';

/** Runs whose keys `status` shows. */
const RECENT_RUNS = 50;

/** The use of the quotas of the latest runs, by the name of their key, as of now. */
export async function quotaUses(
  layout: Layout,
  disk: Disk,
  stateRoot: string,
  nowMs: number,
): Promise<ReadonlyMap<string, QuotaUse>> {
  const uses = new Map<string, QuotaUse>();
  for (const run of (await reportNames(layout, disk)).slice(-RECENT_RUNS).reverse()) {
    const quota = (await readReport(layout, disk, run))?.quota;
    if (!quota || uses.has(quota.key)) continue;
    const { key, perDay } = quota;
    const { used, endMs } = requestsToday(stateRoot, key, nowMs);
    const usedUp = used < perDay ? {} : { usedUpUntilMs: endMs };
    uses.set(key, { perDay, usedToday: Math.min(perDay, used), ...usedUp });
  }
  return uses;
}
