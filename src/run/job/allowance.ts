import { join } from 'node:path';
import type { Effects } from '../../effects.ts';
import { fileCell } from '../../fetch/rate/cell/file-cell.ts';
import type { PaceCell } from '../../fetch/rate/cell/pace-cell.ts';
import { type PaceRecord, paceIn } from '../../fetch/rate/pace-record.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { DailyQuota } from '../shared-key/daily-quota.ts';
import { type KeyOwner, keyFolder, stateFolder } from '../shared-key/key-folder.ts';

/** What a run shares with the other runs of its key. */
interface Allowance {
  readonly quota: DailyQuota | undefined;
  readonly cell: PaceCell<PaceRecord> | undefined;
}

interface AllowanceOptions {
  /** False for a service in this process, whose rate no other process can use. */
  readonly isReal: boolean;
  readonly effects: Effects;
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Opens the quota and the common pace of a key. Throws a Fault if the state of a quota cannot be
 * written; without a quota, the run then shares no rate.
 */
export async function allowanceOf(
  { source }: Pick<Pipeline, 'source'>,
  owner: KeyOwner,
  { isReal, effects, env }: AllowanceOptions,
): Promise<Allowance> {
  if (source.quota === undefined && !isReal) return { quota: undefined, cell: undefined };
  const opened = keyFolder(stateFolder(env), owner, () => effects.random());
  const folder = await opened.catch((error: unknown) => {
    if (source.quota !== undefined) throw error;
    effects.log('debug', `The rate is not shared with other runs: ${String(error)}`);
    return undefined;
  });
  if (folder === undefined) return { quota: undefined, cell: undefined };
  const { perDay } = source.quota ?? {};
  return {
    quota: perDay === undefined ? undefined : new DailyQuota({ folder, perDay, effects }),
    cell: isReal
      ? fileCell({ folder: join(folder.path, 'pace'), read: paceIn, effects })
      : undefined,
  };
}
