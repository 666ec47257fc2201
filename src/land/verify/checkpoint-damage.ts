import { join } from 'node:path';
import { z } from 'zod';
import { jsonIn } from '../../json-in.ts';
import {
  checkpointName,
  LAST_CHECKPOINT,
  SHA256_TAG,
  stateName,
  stateVersions,
} from '../delta/checkpoint.ts';
import { isStateOf, stateIn } from '../delta/checkpoint-state.ts';
import type { Fold } from '../delta/fold.ts';
import { sealOf } from '../delta/log-entry.ts';
import { entryVersions, LOG, readEntry } from '../delta/log-files.ts';
import { original } from '../storage/damage.ts';
import { ifThere, localDisk } from '../storage/disk.ts';
import { sha256Of } from '../storage/parquet.ts';

export interface CheckpointDamage {
  /** Name of the file in the folder of the log. */
  readonly name: string;
  /** The rest of a sentence that begins with "the checkpoint". */
  readonly what: string;
  /** Whether its version is one that the log does not have. */
  readonly isNewer: boolean;
}

const CHECKPOINT = /^(\d{20})\.(windrow|checkpoint\b.*|(\d{20})\.compacted\.json)$/;

const lastSchema = z.object({
  version: z.number(),
  tags: z.record(z.string(), z.string()).optional(),
});
type LastCheckpoint = z.infer<typeof lastSchema>;

export interface CheckpointVerification {
  /** Names of Delta checkpoints, which other programs read in place of early entries. */
  readonly checkpoints: readonly string[];
  readonly damagedCheckpoints: readonly CheckpointDamage[];
  /** Those without a digest. */
  readonly unprovenCheckpoints: readonly string[];
  /** Version of the newest whole checkpoint that windrow can begin with; undefined without one. */
  readonly newestState: number | undefined;
}

/** The parts of windrow of the checkpoints in a log, the oldest first. */
export interface CheckpointStates {
  /** Those that are as they were written, apart from those of another log. */
  readonly whole: readonly Fold[];
  /** The versions of these whose log entry is as it was, too: a log can begin with them. */
  readonly usable: readonly number[];
  readonly damaged: readonly Omit<CheckpointDamage, 'isNewer'>[];
}

/** Reads windrow's part of every checkpoint in a table's log. */
export async function checkpointStates(
  table: string,
  names: readonly string[],
): Promise<CheckpointStates> {
  const whole: Fold[] = [];
  const usable: number[] = [];
  const damaged: Omit<CheckpointDamage, 'isNewer'>[] = [];
  for (const version of stateVersions(names).reverse()) {
    const name = stateName(version);
    const path = join(table, LOG, name);
    // Undefined for a file that is missing or that the disk cannot read.
    const bytes = await original.readBytes(path).catch(() => undefined);
    const fold = bytes && stateIn(bytes, path);
    const entry = await readEntry(original, table, version).catch(() => undefined);
    const isUsable = fold !== undefined && entry !== undefined && isStateOf(fold, entry);
    const isOther = !isUsable && entry !== undefined && sealOf(entry)?.holds === true;
    if (fold === undefined) damaged.push({ name, what: 'was changed after it was written' });
    else if (isOther) damaged.push({ name, what: 'was made from another log' });
    else whole.push(fold);
    if (isUsable) usable.push(version);
  }
  return { whole, usable, damaged };
}

/**
 * Finds the checkpoints in the folder of a log that mislead other programs: they are newer than the
 * log, or the newest one of windrow is missing or was changed. Programs read no older one than
 * that. A log whose first entries have expired needs a checkpoint. `files` are the names in the
 * folder, `newest` is the last version of the log, and `states` are the parts of windrow.
 */
export async function verifyCheckpoints(
  folder: string,
  files: readonly string[],
  newest: number,
  states: CheckpointStates,
): Promise<CheckpointVerification> {
  // Other programs write further kinds.
  const names = files.filter((name) => CHECKPOINT.test(name) || name === LAST_CHECKPOINT);
  const first = entryVersions(files)[0] ?? newest + 1;
  const last = names.includes(LAST_CHECKPOINT) ? await lastCheckpoint(folder) : undefined;
  const damages = await damageOf(folder, names, newest, last);
  for (const damage of states.damaged) {
    if (!damages.some(({ name }) => name === damage.name))
      damages.push({ ...damage, isNewer: false });
  }
  const isReadable = names.some(
    (name) => !/\.(json|windrow)$/.test(name) && versionOf(name) >= first,
  );
  if (first > 0 && !isReadable && damages.length === 0) {
    const what = 'is missing: other programs need it, because the first entries have expired';
    damages.push({ name: LAST_CHECKPOINT, what, isNewer: false });
  }
  const isProven = last?.tags?.[SHA256_TAG] !== undefined && last.version <= newest;
  const proven = isProven ? [LAST_CHECKPOINT, checkpointName(last.version)] : [];
  const state = isProven ? stateName(last.version) : undefined;
  if (state !== undefined && !names.includes(state))
    damages.push({ name: state, what: 'is missing', isNewer: false });
  const unproven = names.filter((name) => {
    const isOlder = isProven && versionOf(name) < last.version;
    return (
      !isOlder &&
      !stateVersions([name]).length &&
      !proven.includes(name) &&
      !damages.some((damage) => damage.name === name)
    );
  });
  return {
    checkpoints: names,
    damagedCheckpoints: damages,
    unprovenCheckpoints: unproven,
    newestState: states.usable.at(-1),
  };
}

async function damageOf(
  folder: string,
  names: readonly string[],
  newest: number,
  last: LastCheckpoint | undefined,
): Promise<CheckpointDamage[]> {
  const damages: CheckpointDamage[] = [];
  for (const name of names) {
    const version = name === LAST_CHECKPOINT ? last?.version : versionOf(name);
    if (version === undefined) {
      damages.push({ name, what: 'cannot be read', isNewer: false });
    } else if (version > newest) {
      const what = `is newer than the log, whose last version is ${newest}`;
      damages.push({ name, what, isNewer: true });
    }
  }
  const sha256 = last?.tags?.[SHA256_TAG];
  if (last === undefined || sha256 === undefined || last.version > newest) return damages;
  const name = checkpointName(last.version);
  const actual = await ifThere(sha256Of(join(folder, name)));
  if (actual === sha256) return damages;
  const what = actual === undefined ? 'is missing' : 'was changed after it was written';
  return [...damages, { name, what, isNewer: false }];
}

/** Undefined for a file that is no JSON. */
async function lastCheckpoint(folder: string): Promise<LastCheckpoint | undefined> {
  const text = await localDisk.read(join(folder, LAST_CHECKPOINT));
  return lastSchema.safeParse(jsonIn(text)).data;
}

/** The newest version in a checkpoint, by its name; NaN for `_last_checkpoint`. */
export function versionOf(name: string): number {
  const [, from, , to] = CHECKPOINT.exec(name) ?? [];
  return Number.parseInt(to ?? from ?? '', 10);
}
