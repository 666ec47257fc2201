import { datasetNamed, findDataset } from '../catalogue/index.ts';
import type { CoverageEntry } from '../coverage/coverage.ts';
import { type ListId, listKey } from '../coverage/list.ts';
import { keyKindOf } from '../curate/rule/lists.ts';
import { Fault } from '../fault.ts';
import { COVERAGE } from '../land/coverage-index.ts';
import type { Lake } from '../land/lake.ts';
import { WITHDRAWN_REASON } from '../land/rule/withdrawn.ts';
import {
  type CoverageBeforeCut,
  CUT_REASON,
  coverageBeforeCut,
  lostByCut,
} from '../land/verify/lost-coverage.ts';
import { type Aside, beginAt, cutLog, mendEntries } from '../land/verify/set-aside.ts';
import type { Damage, LakeVerification } from '../land/verify/verify-lake.ts';
import { type TableVerification, verifyTable } from '../land/verify/verify-table.ts';
import type { LostRegion } from '../plan/repair-plan.ts';
import type { Job } from './run-job.ts';

type LogRepairJob = Pick<Job, 'lake' | 'disk' | 'run' | 'pipeline'>;

export interface RepairedLogs {
  /** Paths of restored log entries, each of which had one changed bit. */
  readonly mended: readonly string[];
  /** Tables whose log was cut before a damaged entry, as `chain/table`. */
  readonly cut: readonly string[];
  /** Datasets that lack commits: all their requests in the pipeline are planned again. */
  readonly datasets: ReadonlySet<string>;
}

/** A log to be cut. */
interface BrokenLog {
  readonly table: TableVerification;
  /** Coverage of a dataset's table; undefined for tables that are not datasets. */
  readonly before: CoverageBeforeCut | undefined;
}

/**
 * Restores entries with one changed bit, cuts every log with other damage, and marks the coverage
 * that the cut loses. `damages` are those of the lake's pair of chains. Throws Fault('lake') before
 * any cut if the lists of an unreadable entry are unknown.
 */
export async function repairLogs(
  job: LogRepairJob,
  verified: LakeVerification,
  damages: readonly Damage[],
): Promise<RepairedLogs> {
  const { lake, disk, run } = job;
  const aside: Aside = { layout: lake.layout, run, disk };
  const mended: string[] = [];
  const broken: BrokenLog[] = [];
  for (const table of await damagedTables(lake, verified, damages)) {
    const paths = new Map(table.log.damaged.map(({ version, path }) => [version, path]));
    for (const version of await mendEntries(aside, table)) mended.push(paths.get(version) ?? '');
    const now = await begunAtCheckpoint(aside, await verifyTable(table));
    // Only the coverage table records entries that are missing at the end of a log.
    const gone = damages.find(
      (damage) => isDamageOf(damage, now) && (damage.version ?? -1) > now.log.newest,
    );
    const cutAt = now.log.damaged[0]?.version ?? gone?.version;
    if (cutAt === undefined) await cutLog(aside, now);
    else broken.push({ table: now, before: await beforeCut(job, damages, now, cutAt) });
  }
  for (const log of broken) refuseUnknownLists(job, log);
  for (const { table } of broken) await cutLog(aside, table);
  for (const { table, before } of broken) {
    if (before === undefined) continue;
    const { coverage: kept } = await lake.table(table.table).snapshot();
    const others = before.isWhole ? [] : await keysOfOthers(job, table.table, before, broken);
    await lake.table(table.table).markLost([...others, ...lostByCut(kept, before)]);
  }
  const cut = broken.map(({ table }) => `${table.chain}/${table.table}`);
  const datasets = broken.map(({ table }) => table.table).filter((name) => findDataset(name));
  return { mended, cut, datasets: new Set(datasets) };
}

/**
 * A table with a damaged log entry before a whole checkpoint loses only older versions: the log
 * begins with the newest such checkpoint from now on.
 */
async function begunAtCheckpoint(
  aside: Aside,
  table: TableVerification,
): Promise<TableVerification> {
  const { damaged, newestState = -1 } = table.log;
  if (!damaged.some(({ version }) => version < newestState)) return table;
  await beginAt(aside, table, newestState);
  return verifyTable(table);
}

/** The tables with damaged logs, including tables whose log is missing. */
async function damagedTables(
  { layout }: Lake,
  { tables }: LakeVerification,
  damages: readonly Damage[],
): Promise<TableVerification[]> {
  const damaged = new Map<string, TableVerification>();
  for (const { chain, table, kind } of damages) {
    const folder = layout.table(chain, table);
    if (table === COVERAGE || kind === 'data file' || damaged.has(folder)) continue;
    const verification = tables.find((entry) => entry.folder === folder);
    damaged.set(folder, verification ?? (await verifyTable({ chain, table, folder })));
  }
  return [...damaged.values()];
}

async function beforeCut(
  { lake }: LogRepairJob,
  damages: readonly Damage[],
  table: TableVerification,
  cutAt: number,
): Promise<CoverageBeforeCut | undefined> {
  if (findDataset(table.table) === undefined) return undefined;
  const isIndexDamaged = damages.some((damage) =>
    isDamageOf(damage, { chain: table.chain, table: COVERAGE }),
  );
  const index = isIndexDamaged ? undefined : await lake.indexedCoverage(table.table);
  return coverageBeforeCut(table, cutAt, index);
}

/** Lists of the table, from its coverage and from the pipeline. */
function listsIn({ pipeline }: LogRepairJob, dataset: string, before: CoverageBeforeCut): ListId[] {
  const requestLists = pipeline.requests
    .filter((request) => request.dataset === dataset)
    .flatMap((request) => request.lists);
  const lists = [...before.coverage.entries(), ...requestLists].map(({ endpoint, variant }) => {
    return [listKey({ endpoint, variant }), { endpoint, variant }] as const;
  });
  return [...new Map(lists).values()];
}

function refuseUnknownLists(job: LogRepairJob, { table, before }: BrokenLog): void {
  if (before === undefined || before.isWhole) return;
  if (listsIn(job, table.table, before).length > 0) return;
  throw new Fault('lake', 'The contents of the damaged log entries of this table are unknown.', {
    where: table.folder,
    advice:
      'Repair with a pipeline that requests this table, or move its folder out of the data root ' +
      'to continue without it. Nothing was cut.',
  });
}

/**
 * Inconsistent coverage for every key of the other tables on the axis, in every list of this table.
 * An unreadable entry may have held any of these keys, and a key without coverage would look as if
 * this table never had it.
 */
async function keysOfOthers(
  job: LogRepairJob,
  dataset: string,
  before: CoverageBeforeCut,
  broken: readonly BrokenLog[],
): Promise<CoverageEntry[]> {
  const lists = listsIn(job, dataset, before);
  const entries: CoverageEntry[] = [];
  for (const other of await job.lake.tables()) {
    const { name, axis } = other.dataset;
    if (name === dataset || axis !== datasetNamed(dataset).axis) continue;
    const cut = broken.find(({ table }) => table.table === name)?.before;
    const coverage = cut?.coverage ?? (await other.snapshot()).coverage;
    for (const entry of coverage.entries()) {
      const kind = keyKindOf({ dataset: name, ...entry });
      // Look-ups of transactions say nothing about addresses.
      if (kind === 'transaction') continue;
      for (const list of lists.filter((list) => keyKindOf({ dataset, ...list }) === kind)) {
        entries.push({ ...entry, ...list, status: 'inconsistent', reason: CUT_REASON });
      }
    }
  }
  return entries;
}

/** Coverage of these tables that is still lost after the pipeline's requests were fetched. */
export async function stillLost(lake: Lake, datasets: ReadonlySet<string>): Promise<LostRegion[]> {
  const lost = new Map<string, LostRegion & { readonly keys: string[] }>();
  for (const dataset of datasets) {
    const { coverage } = await lake.table(dataset).snapshot();
    for (const { endpoint, variant, key, from, to, reason } of coverage.entries()) {
      if (reason !== CUT_REASON && reason !== WITHDRAWN_REASON) continue;
      const id = JSON.stringify([endpoint, variant, from, to, reason]);
      const why = `${reason} and this pipeline does not request it, or chose an alternative`;
      const region = lost.get(id) ?? { endpoint, variant, keys: [], from, to, reason: why };
      lost.set(id, region);
      region.keys.push(key);
    }
  }
  return [...lost.values()];
}

export function isDamageOf(
  damage: Damage,
  { chain, table }: Pick<Damage, 'chain' | 'table'>,
): boolean {
  return damage.chain === chain && damage.table === table;
}
