import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import { fileCell } from '../../fetch/rate/cell/file-cell.ts';
import type { PaceCell } from '../../fetch/rate/cell/pace-cell.ts';
import { type PaceRecord, paceIn } from '../../fetch/rate/pace-record.ts';
import { DailyQuota, type KeyQuota } from '../shared-key/daily-quota.ts';
import { type KeyOwner, keyFolder, stateFolder } from '../shared-key/key-folder.ts';
import type { SharedState } from '../shared-key/shared-state.ts';

interface AllowanceOptions {
  /** Most requests a day; undefined without a quota. */
  readonly perDay: number | undefined;
  /** False where no other process can use the rate, as that of a service in this process. */
  readonly isReal: boolean;
  readonly effects: Effects;
  readonly env: NodeJS.ProcessEnv;
  /** Default: the runs of this user on this machine share the key. */
  readonly shared?: SharedState | undefined;
}

/**
 * Opens the quota and the common pace of a key. Throws a Fault if the state of a quota cannot be
 * written; without a quota, the run then shares no rate.
 */
export async function allowanceOf(
  owner: KeyOwner,
  { perDay, isReal, effects, env, shared }: AllowanceOptions,
): Promise<{
  readonly quota: KeyQuota | undefined;
  readonly cell: PaceCell<PaceRecord> | undefined;
}> {
  if (perDay === undefined && !isReal) return { quota: undefined, cell: undefined };
  const opened = keyFolder(stateFolder(env), owner, () => effects.random());
  const folder = await opened.catch((error: unknown) => {
    if (perDay !== undefined || shared !== undefined) throw error;
    effects.log('debug', `The rate is not shared with other runs: ${String(error)}`);
    return undefined;
  });
  if (folder === undefined) return { quota: undefined, cell: undefined };
  const local = perDay === undefined ? undefined : new DailyQuota({ folder, perDay, effects });
  if (shared !== undefined) {
    return { quota: local && shared.quota(owner, local), cell: await shared.pace(owner) };
  }
  return {
    quota: local,
    cell: isReal
      ? fileCell({ folder: join(folder.path, 'pace'), read: paceIn, effects })
      : undefined,
  };
}
