import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import { fileCell } from '../../fetch/rate/cell/file-cell.ts';
import type { PaceCell } from '../../fetch/rate/cell/pace-cell.ts';
import { redisCell } from '../../fetch/rate/cell/redis-cell.ts';
import { type PaceRecord, paceIn } from '../../fetch/rate/pace-record.ts';
import { DailyQuota } from '../shared-key/daily-quota.ts';
import { type KeyOwner, keyFolder, keyName, stateFolder } from '../shared-key/key-folder.ts';
import { RedisQuota } from '../shared-key/redis-quota.ts';
import { type SharedState, sharedKey } from '../shared-key/shared-state.ts';

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
  readonly quota: DailyQuota | RedisQuota | undefined;
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
    const { server } = shared;
    // The same on each host, also after Redis has lost its data.
    const name = keyName('redis', owner);
    const key = sharedKey('quota', name);
    return {
      quota: local && new RedisQuota({ server, key, local, effects }),
      cell: await redisCell({ server, key: sharedKey('pace', name), read: paceIn, effects }),
    };
  }
  return {
    quota: local,
    cell: isReal
      ? fileCell({ folder: join(folder.path, 'pace'), read: paceIn, effects })
      : undefined,
  };
}
