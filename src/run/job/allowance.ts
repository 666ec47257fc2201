import type { Effects } from '../../effects.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import { DailyQuota } from '../shared-key/daily-quota.ts';
import { type KeyOwner, keyFolder, stateFolder } from '../shared-key/key-folder.ts';
import { leaseFile } from '../shared-key/lease-file.ts';
import { LeasedPace } from '../shared-key/leased-pace.ts';

/** What a run shares with the other runs of its key. */
interface Allowance {
  readonly quota: DailyQuota | undefined;
  readonly shared: LeasedPace | undefined;
}

interface AllowanceOptions {
  readonly run: string;
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
  { source, limits }: Pick<Pipeline, 'source' | 'limits'>,
  owner: KeyOwner,
  { run, isReal, effects, env }: AllowanceOptions,
): Promise<Allowance> {
  if (source.quota === undefined && !isReal) return { quota: undefined, shared: undefined };
  const opened = keyFolder(stateFolder(env), owner, () => effects.random());
  const folder = await opened.catch((error: unknown) => {
    if (source.quota !== undefined) throw error;
    effects.log('debug', `The rate is not shared with other runs: ${String(error)}`);
    return undefined;
  });
  if (folder === undefined) return { quota: undefined, shared: undefined };
  const { perDay } = source.quota ?? {};
  const store = leaseFile(folder.path, effects);
  const { priority } = limits;
  return {
    quota: perDay === undefined ? undefined : new DailyQuota({ folder, perDay, effects }),
    shared: isReal ? new LeasedPace({ store, effects, id: run, priority }) : undefined,
  };
}
