import type { Effects } from '../../effects.ts';
import { type Advice, Fault } from '../../fault.ts';
import { chainsIn, chainsWithQuarantine } from '../../land/lake.ts';
import { type Holder, holderOf } from '../../land/lock/holder.ts';
import { ifThere, localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';

/**
 * The run that holds the lock of the data root; undefined if there is none. One of another machine
 * is watched for up to 15 seconds, and the log gets a line if it is silent.
 */
export function runHolding(root: string, effects: Effects): Promise<Holder | undefined> {
  return holderOf(layout(root).lock, effects);
}

/** Whether a run that was killed has left its lock behind. */
export async function hasLeftLock(root: string): Promise<boolean> {
  return (await ifThere(localDisk.read(layout(root).lock))) !== undefined;
}

/** A sentence about that run. */
export function runText({ since, pid, host }: Holder): string {
  const moment = since.slice(0, 19).replace('T', ' ');
  return `A run has been under way here since ${moment} UTC (process ${pid} on ${host}).`;
}

/** The fault of a command that needs a lake where there is none. */
export async function noLake(root: string, effects: Effects): Promise<Fault> {
  const run = await runHolding(root, effects);
  if (run !== undefined) {
    return new Fault('usage', `There is no lake here yet. ${runText(run)}`, {
      where: root,
      advice: 'It has committed no rows so far: try again in a moment.',
    });
  }
  if (await hasLeftLock(root)) {
    const message = 'There is no lake here yet. A run was killed before its first commit.';
    const text = 'Run its pipeline again: the list of runs names it.';
    return new Fault('usage', message, { where: root, advice: { text, command: 'windrow runs' } });
  }
  return new Fault('usage', 'There is no lake here yet.', {
    where: root,
    advice: 'Run a pipeline first, or name the data root with --data DIR (the demo: data/demo).',
  });
}

/** Whether the data root has rows, if only in quarantine. */
export async function hasLake(root: string): Promise<boolean> {
  if ((await chainsIn(root, localDisk)).length > 0) return true;
  return (await chainsWithQuarantine(root, localDisk)).length > 0;
}

/** Throws the fault of `noLake` unless the data root has a lake. */
export async function needLake(root: string, effects: Effects): Promise<void> {
  if (!(await hasLake(root))) throw await noLake(root, effects);
}

/** A line about these curated tables. */
export function outdatedText(names: readonly string[]): Advice {
  return {
    text: `Curated tables that are older than the lake, or lack data files: ${names.join(', ')}.`,
    command: 'windrow load',
  };
}
