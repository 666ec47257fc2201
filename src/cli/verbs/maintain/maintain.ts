import type { Argv } from 'yargs';
import { parseDuration } from '../../../config/duration.ts';
import type { Effects } from '../../../effects.ts';
import { type Lake, openLake } from '../../../land/lake.ts';
import { takeLock, underLock } from '../../../land/lock/lock.ts';
import { type Disk, localDisk } from '../../../land/storage/disk.ts';
import { leftovers, removeLeftovers, removeStaging } from '../../../land/storage/staging.ts';
import { publishWarehouse } from '../../../load/warehouse.ts';
import { renewCheckpoints } from '../../../maintain/checkpoints.ts';
import {
  type DeletedCounts,
  executeMerges,
  type MergeCounts,
  NO_DELETES,
} from '../../../maintain/execute.ts';
import {
  deleteOldFiles,
  type FullMaintenancePlan,
  planAllMaintenance,
} from '../../../maintain/maintain.ts';
import { MAINTENANCE_RULES, type MaintenanceRules } from '../../../pipeline/maintenance.ts';
import { systemEffects } from '../../../system.ts';
import { runHolding } from '../../job/lake-there.ts';
import { chainsToShow } from '../../job/rebuild-warehouse.ts';
import { runName } from '../../log/run-name.ts';
import type { Console } from '../../terminal/console.ts';
import { jsonDocument } from '../../terminal/console.ts';
import {
  maintainedLines,
  maintenancePlanDocument,
  maintenancePlanLines,
  notMergedLines,
} from '../../terminal/maintenance-text.ts';
import { data, wholeNumber, withExitCodes } from '../../terminal/options.ts';
import type { ExitCode } from '../../terminal/report.ts';

const LONGEST_RETAIN_MS = 3650 * 86_400_000;

export function maintainOptions(args: Argv) {
  return withExitCodes(args)
    .options({
      data,
      chain: { type: 'string', describe: 'Chain to maintain, if the lake has several' },
      retain: {
        type: 'string',
        default: '7d',
        describe: 'How long a replaced file stays for readers of older versions',
      },
      'file-rows': {
        type: 'string',
        default: String(MAINTENANCE_RULES.target.rows),
        describe: 'Rows of a merged file at most',
      },
      'dry-run': { type: 'boolean', default: false, describe: 'Print the plan and change nothing' },
    })
    .example('$0 maintain --dry-run', 'shows what would be merged and deleted')
    .example('$0 maintain --retain 30d', 'keeps the files of older versions for 30 days');
}

export interface MaintainArguments {
  readonly data: string;
  readonly chain?: string | undefined;
  readonly retain: string;
  readonly fileRows: string;
  readonly dryRun: boolean;
}

interface MaintainJob {
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
  readonly rules: MaintenanceRules;
}

/**
 * `windrow maintain`: merges small files, deletes replaced and abandoned ones, and replaces damaged
 * checkpoints. Ends with 1 where damage stays.
 */
export async function maintainVerb(given: MaintainArguments, output: Console): Promise<ExitCode> {
  const retainMs = parseDuration(given.retain, '--retain', LONGEST_RETAIN_MS);
  const rows = wholeNumber('--file-rows', given.fileRows, 1000, 10_000_000);
  const rules = { target: { ...MAINTENANCE_RULES.target, rows }, retainMs };
  const effects = systemEffects('warn', process.env, output.note);
  const chains = await chainsToShow(given.data, given.chain);
  const of = { root: given.data, chains, run: runName(effects), effects, disk: localDisk };
  const lake = await openLake(of);
  try {
    const job = { lake, disk: localDisk, effects, rules };
    return given.dryRun ? await planOnly(job, given, output) : await maintain(job, given, output);
  } finally {
    lake.close();
  }
}

async function planOnly(
  job: MaintainJob,
  { data: root }: MaintainArguments,
  output: Console,
): Promise<ExitCode> {
  const plan = await planAllMaintenance(job);
  // A run under way has its own unfinished files there.
  const unfinished =
    (await runHolding(root, output.note)) === undefined ? await leftoversOf(job) : [];
  if (output.isJson) {
    const document = maintenancePlanDocument(plan, unfinished);
    output.out(jsonDocument({ data: root, plan: document, done: null, exitCode: 0 }));
  } else for (const line of maintenancePlanLines(plan, unfinished)) output.out(line);
  return 0;
}

async function maintain(
  unlocked: MaintainJob,
  { data: root }: MaintainArguments,
  output: Console,
): Promise<ExitCode> {
  const { lake, effects } = unlocked;
  const lock = await takeLock(lake.layout.lock, effects);
  try {
    const disk = underLock(unlocked.disk, lock);
    const job = { ...unlocked, disk };
    const plan = await planAllMaintenance(job);
    const unfinished = await leftoversOf(job);
    if (!output.isJson) {
      for (const line of maintenancePlanLines(plan, unfinished)) output.out(line);
    }
    const { checkpoints, merges, deletes } = await execute(job, plan, output);
    if (unfinished.length > 0) {
      await removeLeftovers(lake.layout, lake.run, disk, effects.now());
    }
    await removeStaging(lake.layout, lake.run, disk);
    const isDamaged = plan.checkpoints.some(({ isRenewed }) => !isRenewed);
    const exitCode = merges.damaged.length > 0 || isDamaged ? 1 : 0;
    if (output.isJson) {
      const document = maintenancePlanDocument(plan, unfinished);
      const done = { checkpoints, merges, deletes };
      output.out(jsonDocument({ data: root, plan: document, done, exitCode }));
    } else for (const line of maintainedLines(merges, deletes, checkpoints)) output.out(line);
    return exitCode;
  } finally {
    await lock.release();
  }
}

interface MaintenanceResult {
  /** Number of new checkpoints. */
  readonly checkpoints: number;
  readonly merges: MergeCounts;
  readonly deletes: DeletedCounts;
}

/** Merges, publishes a warehouse that names the merged files, and deletes. */
async function execute(
  job: MaintainJob,
  { plans, checkpoints: damaged, tables }: FullMaintenancePlan,
  output: Console,
): Promise<MaintenanceResult> {
  const { lake, disk, effects } = job;
  const checkpoints = await renewCheckpoints(damaged, tables, job);
  const merges = await executeMerges(plans, tables, { run: lake.run, isOver: () => false });
  // Before publishing, which fails where a file is missing.
  if (!output.isJson) for (const line of notMergedLines(merges)) output.out(line);
  if (plans.length === 0) return { checkpoints, merges, deletes: NO_DELETES };
  await lake.indexCoverage();
  await publishWarehouse({ lake, effects, disk, ifMoved: true });
  // Planned again: both may have replaced files of the coverage tables and of curated ones.
  return { checkpoints, merges, deletes: await deleteOldFiles(job) };
}

function leftoversOf({ lake, disk, effects }: MaintainJob): Promise<string[]> {
  return leftovers(lake.layout, lake.run, disk, effects.now());
}
