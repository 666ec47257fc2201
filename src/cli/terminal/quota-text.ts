import type { RunReport } from '../../land/reports/run-reports.ts';
import { momentText } from '../../pipeline/syntax/duration.ts';
import { requestsToday } from '../../run/shared-key/daily-quota.ts';
import { counted, many } from './console.ts';

/** The quota of a key, and its use today. */
export interface QuotaUse {
  readonly perDay: number;
  readonly usedToday: number;
  /** When requests are possible again; absent while some of today's are left. */
  readonly usedUpUntilMs?: number;
}

/** The use of the quotas of runs, the newest first, by the name of their key, as of now. */
export function quotaUses(
  reports: readonly RunReport[],
  stateRoot: string,
  nowMs: number,
): ReadonlyMap<string, QuotaUse> {
  const uses = new Map<string, QuotaUse>();
  for (const { quota } of reports) {
    if (!quota || uses.has(quota.key)) continue;
    const { key, perDay } = quota;
    const { used, endMs } = requestsToday(stateRoot, key, nowMs);
    const usedUp = used < perDay ? {} : { usedUpUntilMs: endMs };
    uses.set(key, { perDay, usedToday: Math.min(perDay, used), ...usedUp });
  }
  return uses;
}

export interface QuotaOfPlan extends QuotaUse {
  readonly leftToday: number;
  /** Days that the requests of the plan take, with today; 0 if it has none. */
  readonly days: number;
}

/** Compares the requests of a plan with the quota. */
export function quotaOfPlan({ perDay, usedToday }: QuotaUse, requests: number): QuotaOfPlan {
  const leftToday = Math.max(0, perDay - usedToday);
  const later = Math.ceil(Math.max(0, requests - leftToday) / perDay);
  return { perDay, usedToday, leftToday, days: requests === 0 ? 0 : 1 + later };
}

/** `Quota: 9,000 of 10,000 requests are left today (UTC); the plan fits.` */
export function planQuotaText({ perDay, leftToday, days }: QuotaOfPlan, isBound: boolean): string {
  const left = `${counted(leftToday)} of ${many(perDay, 'request')} a day are left today (UTC)`;
  if (days <= 1)
    return `Quota: ${left}; ${isBound ? 'the known part of the plan' : 'the plan'} fits.`;
  const time = `${isBound ? 'at least ' : ''}${many(days, 'day')}`;
  return `Quota: ${left}; the plan does not fit and takes ${time}, with a run on each.`;
}

/** `Quota: 1,000 of 10,000 requests a day are used today (UTC).` */
export function quotaText({ perDay, usedToday, usedUpUntilMs }: QuotaUse): string {
  const wait =
    usedUpUntilMs === undefined ? '' : `; the next day begins ${momentText(usedUpUntilMs)}`;
  const share = `${counted(usedToday)} of ${many(perDay, 'request')} a day`;
  return `Quota: ${share} are used today (UTC)${wait}.`;
}

/** The use of a quota as JSON. */
export function quotaUseDocument({ perDay, usedToday, usedUpUntilMs }: QuotaUse) {
  const usedUpUntil = usedUpUntilMs === undefined ? null : new Date(usedUpUntilMs).toISOString();
  return { perDay, usedToday, usedUpUntil };
}
