import { Fault } from '../../../fault.ts';
import { markRoot } from '../../../land/data-root.ts';
import { chainsIn, type Lake, openLake } from '../../../land/lake.ts';
import { takeLock } from '../../../land/lock/lock.ts';
import type { QuarantineRecord } from '../../../land/quarantine/quarantine-record.ts';
import { replayWalk } from '../../../land/replay/replay-walk.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { layout } from '../../../land/storage/layout.ts';
import { visibleText } from '../../../load/query/text-table.ts';
import { windrowVersion } from '../../../run/job/version.ts';
import { eachQuarantine, idsIn, keptIn, needIds, shortId } from '../../../run/lake/kept-records.ts';
import { rebuild } from '../../../run/lake/rebuild-warehouse.ts';
import { systemEffects } from '../../../system.ts';
import type { Console } from '../../terminal/console.ts';
import { heights, many } from '../../terminal/console.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';

interface Given {
  readonly id: readonly string[];
  readonly data: string;
  readonly all: boolean;
}

/** `windrow quarantine replay`: lands records that can now be decoded; sends no request. */
export async function replayVerb(given: Given, output: Console): Promise<VerbResult> {
  return withChosen(given, 'replay', async (chosen) => {
    const done = emptyTally();
    await eachQuarantine(given.data, runName('replay'), systemEffects('warn'), async (lake) => {
      await replayIn(lake, chosen, done);
    });
    if (done.landed.length + done.needless.length > 0) await rebuildWarehouse(given.data, output);
    const exitCode = done.broken.length + done.refused.length > 0 ? 3 : 0;
    return { document: { data: given.data, ...done }, lines: replayText(done), exitCode };
  });
}

/** `windrow quarantine drop`: removes records for good, without a confirmation. */
export async function dropVerb(given: Given, output: Console): Promise<VerbResult> {
  return withChosen(given, 'drop', async (chosen) => {
    let dropped = 0;
    await eachQuarantine(given.data, runName('drop'), systemEffects('warn'), async (lake) => {
      for (const quarantine of lake.quarantines()) {
        const own = (await quarantine.records()).filter(({ id }) => chosen.has(id));
        dropped += await quarantine.drop(own.map(({ id }) => id));
      }
    });
    if (dropped > 0) await rebuildWarehouse(given.data, output);
    const lines = [`${many(dropped, 'record')} dropped.`];
    return { document: { data: given.data, dropped }, lines, exitCode: 0 };
  });
}

/** Finds the records while it holds the lock, so that no other command changes them. */
async function withChosen(
  given: Given,
  action: string,
  use: (chosen: ReadonlySet<string>) => Promise<VerbResult>,
): Promise<VerbResult> {
  if (!given.all) needIds(given.id, `${action}, or give --all`);
  if (given.all && given.id.length > 0) {
    throw new Fault('usage', 'Ids and --all exclude each other.', {
      advice: `Name the records to ${action}, or give --all.`,
    });
  }
  const { lock, lake } = layout(given.data);
  // A data root without a lake stays as it is, without a lock.
  const isEmpty = (await localDisk.list(lake)).length === 0;
  if (!isEmpty) await markRoot(given.data, windrowVersion(), localDisk);
  const held = isEmpty ? undefined : await takeLock(lock, systemEffects('warn'));
  try {
    const kept = await keptIn(given.data, systemEffects('warn'));
    const all = new Set(kept.map(({ record }) => record.id));
    return await use(given.all ? all : idsIn(kept, given.id, given.data));
  } finally {
    await held?.release();
  }
}

interface Tally {
  readonly landed: string[];
  /** Landed before, or listed by a newer complete walk. */
  readonly needless: string[];
  readonly broken: { readonly id: string; readonly reason: string }[];
  readonly refused: { readonly id: string; readonly reason: string }[];
  readonly walks: {
    readonly endpoint: string;
    readonly variant: string;
    readonly keys: readonly string[];
    readonly from: number;
    readonly to: number;
    readonly status: string;
    readonly landed: number;
  }[];
}

function emptyTally(): Tally {
  return { landed: [], needless: [], broken: [], refused: [], walks: [] };
}

async function replayIn(lake: Lake, chosen: ReadonlySet<string>, done: Tally): Promise<void> {
  for (const quarantine of lake.quarantines()) {
    const walks = new Map<string, QuarantineRecord[]>();
    for (const record of await quarantine.records()) {
      const own = walks.get(record.walk);
      if (own === undefined) walks.set(record.walk, [record]);
      else own.push(record);
    }
    const cleared: string[] = [];
    for (const records of walks.values()) {
      if (!records.some(({ id }) => chosen.has(id))) continue;
      const { landed, needless } = await replayOne(lake, records, chosen, done);
      for (const id of [...landed, ...needless]) cleared.push(id);
    }
    await quarantine.drop(cleared);
  }
}

async function replayOne(
  lake: Lake,
  records: readonly QuarantineRecord[],
  chosen: ReadonlySet<string>,
  done: Tally,
) {
  const replayed = await replayWalk(lake, records, chosen);
  const { landed, needless, broken, refused, status } = replayed;
  for (const id of landed) done.landed.push(id);
  for (const id of needless) done.needless.push(id);
  for (const [id, reason] of broken) done.broken.push({ id, reason });
  for (const { id } of records) {
    const isOpen = chosen.has(id) && !broken.has(id);
    if (refused !== undefined && isOpen) done.refused.push({ id, reason: refused });
  }
  const [first] = records;
  if (first !== undefined && status !== undefined) {
    const { endpoint, variant, keys, interval } = first.claim;
    done.walks.push({ endpoint, variant, keys, ...interval, status, landed: landed.length });
  }
  return replayed;
}

/** Ids that are listed; the others are counted. */
const MAX_LISTED = 20;

function replayText({ landed, needless, broken, refused, walks }: Tally): string[] {
  const lines = [`${many(landed.length, 'record')} landed.`];
  for (const walk of walks) {
    const count = many(walk.landed, 'record');
    lines.push(`  ${walk.endpoint}, blocks ${heights(walk)}: ${count}, now ${walk.status}`);
  }
  if (needless.length > 0) {
    const what = many(needless.length, 'record');
    lines.push(`${what} removed from quarantine: a walk had landed the same before.`);
  }
  if (broken.length > 0) lines.push(`${many(broken.length, 'record')} still broken:`);
  lines.push(...listed(broken));
  if (refused.length > 0) {
    const what = many(refused.length, 'record');
    lines.push(`${what} not landed; run the pipeline again to fetch their slices:`);
  }
  return [...lines, ...listed(refused)];
}

function listed(records: readonly { readonly id: string; readonly reason: string }[]): string[] {
  const lines = records
    .slice(0, MAX_LISTED)
    .map(({ id, reason }) => visibleText(`  ${shortId(id)}: ${reason}`));
  const more = records.length - MAX_LISTED;
  return more > 0 ? [...lines, `  ... and ${many(more, 'more record')}`] : lines;
}

/** Names rows and the staging folder: `20260102T030405Z-replay`. */
function runName(action: string): string {
  const time = new Date(systemEffects('warn').now()).toISOString();
  return `${time.replace(/[-:]|\.\d+/g, '')}-${action}`;
}

/** Publishes the change in the warehouse, if the data root has one pair of chains. */
async function rebuildWarehouse(root: string, output: Console): Promise<void> {
  const effects = systemEffects('warn');
  const pairs = await chainsIn(root, localDisk);
  const [chains] = pairs;
  if (chains === undefined) return;
  if (pairs.length > 1) {
    output.note('The lake has several chains: windrow load --chain NAME shows the change.');
    return;
  }
  const lake = await openLake({ root, chains, run: 'load', effects, disk: localDisk });
  try {
    await rebuild(lake, effects, localDisk);
  } finally {
    lake.close();
  }
}
