import type { Effects } from '../../../effects.ts';
import { keptIn } from '../../../run/lake/kept-records.ts';

/** Quarantined records of one list whose slices the next run fetches again. */
export interface WaitingRecords {
  readonly chain: string;
  readonly endpoint: string;
  readonly records: number;
}

/** The quarantined records of a data root that wait for the next run, by chain and list. */
export async function waitingIn(root: string, effects: Effects): Promise<WaitingRecords[]> {
  const waiting = new Map<string, WaitingRecords>();
  for (const { chain, record, isWaiting } of await keptIn(root, effects)) {
    if (!isWaiting) continue;
    const { endpoint } = record.claim;
    const id = `${chain} ${endpoint}`;
    const known = waiting.get(id) ?? { chain, endpoint, records: 0 };
    waiting.set(id, { ...known, records: known.records + 1 });
  }
  return [...waiting.values()];
}
