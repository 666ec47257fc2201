import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { z } from 'zod';
import type { Axis } from '../../catalogue/entry.ts';
import { type Disk, isCode, type StagedFile } from '../../land/storage/disk.ts';
import { diskFault } from '../../land/storage/disk-fault.ts';
import { sha256Of } from '../../land/storage/parquet.ts';

/**
 * Findings and evidence of the last checks, with everything that they were made from. All of it can
 * be computed again from the lake, so a lost or damaged file only costs time.
 */

const resultSchema = z.object({
  check: z.string(),
  severity: z.enum(['error', 'note']),
  findings: z.array(z.record(z.string(), z.unknown())),
  hasMore: z.boolean(),
  meaning: z.string(),
});

const fileSchema = z.object({ name: z.string(), sha256: z.string() });

const stateSchema = z.object({
  /** Names the queries of the checks. */
  queries: z.string(),
  /** Versions of the raw tables, by `versionKey`. */
  versions: z.record(z.string(), z.number()),
  /** Names the content of the warehouse. */
  warehouse: z.string(),
  /** The bound on the findings of one check. */
  maxFindings: z.number(),
  evidence: z.partialRecord(z.enum(['primary', 'zone']), fileSchema),
  results: z.array(resultSchema),
});

const storedSchema = z.object({ sha256: z.string(), state: stateSchema });

export type CheckState = z.infer<typeof stateSchema>;

const STATE = 'checks.json';
const EVIDENCE = /^evidence-[0-9a-f-]{36}\.parquet$/;

/**
 * The state in the folder; undefined if there is none, or if one of its files is damaged. Throws
 * for a failing disk.
 */
export async function readCheckState(folder: string, disk: Disk): Promise<CheckState | undefined> {
  try {
    const stored = storedSchema.safeParse(JSON.parse(await disk.read(join(folder, STATE))));
    if (!stored.success || stored.data.sha256 !== digestOf(stored.data.state)) return undefined;
    const { state } = stored.data;
    for (const { name, sha256 } of Object.values(state.evidence)) {
      if ((await sha256Of(join(folder, name))) !== sha256) return undefined;
    }
    return state;
  } catch (error) {
    if (error instanceof SyntaxError || isCode(error, 'ENOENT')) return undefined;
    throw error;
  }
}

export interface StatePlace {
  readonly folder: string;
  readonly staging: string;
  readonly disk: Disk;
}

/**
 * Stores the state with the evidence of the axes in `staged`, which are paths of finished files.
 * The evidence of other axes stays. New files are made in `staging`, where no other process removes
 * them. Throws Fault('lake') for a full or failing disk.
 */
export async function keepCheckState(
  { folder, staging, disk }: StatePlace,
  state: CheckState,
  staged: ReadonlyMap<Axis, string>,
): Promise<void> {
  const aside = join(staging, `${STATE}.${randomUUID()}`);
  try {
    await disk.makeFolder(staging);
    await disk.makeFolder(folder);
    const evidence = { ...state.evidence };
    const files: StagedFile[] = [];
    for (const [axis, path] of staged) {
      const name = `evidence-${randomUUID()}.parquet`;
      evidence[axis] = { name, sha256: await sha256Of(path) };
      files.push([path, join(folder, name)]);
    }
    await disk.publish(...files);
    // As it is read: without the properties that JSON leaves out.
    const kept = stateSchema.parse(JSON.parse(JSON.stringify({ ...state, evidence })));
    await disk.write(aside, JSON.stringify({ sha256: digestOf(kept), state: kept }));
    await disk.publish([aside, join(folder, STATE)]);
    await removeOthers(folder, disk, kept);
  } catch (error) {
    await disk.remove(aside).catch(() => undefined);
    throw diskFault(error, folder);
  }
}

/**
 * Removes evidence of earlier checks, and what killed ones left. Another check may be reading this:
 * see `runChecks`.
 */
async function removeOthers(folder: string, disk: Disk, { evidence }: CheckState): Promise<void> {
  const used = Object.values(evidence).map(({ name }) => name);
  for (const name of await disk.list(folder)) {
    const isOld = EVIDENCE.test(name) || name.startsWith(`${STATE}.`);
    if (isOld && !used.includes(name)) await disk.remove(join(folder, name));
  }
}

function digestOf(state: CheckState): string {
  return createHash('sha256').update(JSON.stringify(state)).digest('hex');
}
