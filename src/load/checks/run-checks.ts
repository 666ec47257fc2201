import { createHash, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { type DuckDBConnection, version } from '@duckdb/node-api';
import type { Axis } from '../../catalogue/entry.ts';
import { datasets } from '../../catalogue/index.ts';
import { type RawVersion, rawStates, rawVersions, versionKey } from '../../curate/raw-versions.ts';
import { type SqlFile, sqlFiles } from '../../curate/rule/sql-files.ts';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import type { Lake } from '../../land/lake.ts';
import type { Disk } from '../../land/storage/disk.ts';
import { diskFault } from '../../land/storage/disk-fault.ts';
import { memoryLimitBytes } from '../../land/storage/memory-limit.ts';
import { messageOf, withWarehouse } from '../query/open-warehouse.ts';
import { publicationOf } from '../query/publication.ts';
import { type QueryRow, select } from '../query/query.ts';
import { type CheckState, keepCheckState, readCheckState } from './check-state.ts';
import { type EvidenceLimits, evidenceSql, writeEvidence } from './evidence.ts';

/** `error`: exported rows cannot be trusted. `note`: a fact worth knowing. */
export type Severity = 'error' | 'note';

export interface CheckResult {
  /** Name of the file in `sql/checks`. */
  readonly check: string;
  readonly severity: Severity;
  /**
   * Every row is a finding: first a sentence (`finding`), then the evidence by column; the first
   * 10,000 by default.
   */
  readonly findings: readonly QueryRow[];
  /** There are more findings than these. */
  readonly hasMore: boolean;
  /** The meaning of a finding, and the advice. */
  readonly meaning: string;
}

export interface CheckOptions {
  readonly lake: Lake;
  readonly disk: Disk;
  readonly effects: Effects;
  /** Reads all rows again, also those that have not changed since the last checks. */
  readonly isAll?: boolean | undefined;
  /** Names of the checks to run; the results of others stay as they are stored. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly maxFindings?: number;
  /** The `lakeDigest` of the warehouse, if the caller has just published it. */
  readonly shown?: string;
  /** How many raw rows are read at once. */
  readonly limits?: EvidenceLimits;
}

/** Bound on the findings of one check: a larger number has one cause, and would fill the memory. */
const MAX_FINDINGS = 10_000;

/** Another number for every change of the code that makes evidence. */
const FORMAT = 1;

/**
 * Runs the checks of `sql/checks`, in the order of their names, over the newest rows of the lake
 * and its published warehouse. Checks with a query in `sql/evidence` read the rows height by
 * height, and only heights that changed since the last checks; the others run if any version has
 * moved. Throws Fault('query') without a warehouse, and Fault('lake') for an unreadable file.
 *
 * Other checks of the lake may run at the same time. Those that end first remove the evidence that
 * these go on from, so that these read all rows instead.
 */
export async function runChecks(options: CheckOptions): Promise<CheckResult[]> {
  const { lake, disk } = options;
  const folder = lake.layout.checksOf(lake.chainOf('transactions'));
  const former = options.isAll === true ? undefined : await readCheckState(folder, disk);
  try {
    return await checksFrom(options, folder, former);
  } catch (error) {
    const newest = former && (await readCheckState(folder, disk));
    if (JSON.stringify(newest?.evidence) === JSON.stringify(former?.evidence)) throw error;
    return await checksFrom(options, folder, undefined);
  }
}

/** Runs the checks, and goes on from the stored state of former ones. */
async function checksFrom(
  options: CheckOptions,
  folder: string,
  stored: CheckState | undefined,
): Promise<CheckResult[]> {
  const { lake, disk, effects, only, maxFindings = MAX_FINDINGS } = options;
  const checks = (await sqlFiles('checks')).filter(({ name }) => only?.includes(name) ?? true);
  const { warehouse } = lake.layout;
  const names = datasets.map(({ name }) => name);
  const raw = await rawStates(lake, names);
  const now: Omit<CheckState, 'evidence' | 'results'> = {
    queries: await nameOfQueries(),
    versions: Object.fromEntries(raw.map((table) => [versionKey(table), table.version])),
    warehouse: options.shown ?? (await shownBy(warehouse)),
    maxFindings,
  };
  const former = stored?.queries === now.queries ? stored : undefined;
  if (former !== undefined && isSame(former, now)) {
    return checks.flatMap(({ name }) => former.results.filter(({ check }) => check === name));
  }
  const staged = await stagedEvidence(options, await rawVersions(lake, names), former, folder);
  const kept = Object.entries(former?.evidence ?? {})
    .filter(([axis]) => !staged.has(axis as Axis))
    .map(([, { name }]) => join(folder, name));
  try {
    const results = await findingsOf(options, checks, [...kept, ...staged.values()]);
    if (only !== undefined) return results;
    const state = { ...now, evidence: former?.evidence ?? {}, results };
    const to = { folder, staging: lake.layout.stagingOf(lake.run), disk };
    await keepCheckState(to, state as CheckState, staged);
    effects.reached('findings stored');
    return results;
  } finally {
    for (const path of staged.values()) await disk.remove(path);
  }
}

function isSame(former: CheckState, now: Omit<CheckState, 'evidence' | 'results'>): boolean {
  const keys = (versions: CheckState['versions']): string => {
    return JSON.stringify(Object.entries(versions).sort());
  };
  return (
    keys(former.versions) === keys(now.versions) &&
    former.warehouse === now.warehouse &&
    former.maxFindings === now.maxFindings
  );
}

/** Writes the evidence of axes that changed into staging, and returns the paths. */
async function stagedEvidence(
  { lake, disk, effects, only, limits }: CheckOptions,
  raw: readonly RawVersion[],
  former: CheckState | undefined,
  folder: string,
): Promise<ReadonlyMap<Axis, string>> {
  const files = await sqlFiles('evidence');
  const queries = files.filter(({ name }) => only?.includes(name) ?? true);
  const staged = new Map<Axis, string>();
  const made = new Map(Object.entries(former?.versions ?? {}));
  if (queries.length === 0) return staged;
  const staging = lake.layout.stagingOf(lake.run);
  await disk.makeFolder(staging);
  for (const axis of ['primary', 'zone'] as const) {
    const own = raw.filter((table) => table.axis === axis);
    const evidence = former?.evidence[axis];
    if (evidence === undefined && own.every((table) => table.version < 0)) continue;
    const isCurrent = own.every((table) => made.get(versionKey(table)) === table.version);
    if (evidence !== undefined && isCurrent) continue;
    const path = join(staging, `part-${randomUUID()}.parquet`);
    const from = evidence && { path: join(folder, evidence.name), made };
    const spilledTo = lake.layout.spilledOf(lake.run);
    const of = { axis, raw: own, queries, former: from, limits, spilledTo };
    try {
      await writeEvidence({ ...of, memoryBytes: memoryLimitBytes() }, path);
    } catch (error) {
      for (const each of [...staged.values(), path]) await disk.remove(each);
      const fault = diskFault(error, lake.layout.root);
      if (fault instanceof Fault) throw fault;
      throw new Fault('lake', `The raw rows cannot be checked: ${messageOf(error)}`, {
        where: lake.layout.root,
        advice: { text: 'verify names missing and broken files.', command: 'windrow verify' },
        cause: error,
      });
    }
    staged.set(axis, path);
    effects.reached('evidence written');
  }
  return staged;
}

/** Runs the queries of `sql/checks` over the warehouse and the evidence in these files. */
async function findingsOf(
  { lake, maxFindings = MAX_FINDINGS }: CheckOptions,
  checks: readonly SqlFile[],
  evidence: readonly string[],
): Promise<CheckResult[]> {
  const { warehouse, root } = lake.layout;
  const run = async (connection: DuckDBConnection): Promise<CheckResult[]> => {
    const results: CheckResult[] = [];
    for (const file of checks) {
      await connection.run(
        `CREATE OR REPLACE TEMP VIEW evidence AS ${evidenceSql(file.name, evidence)}`,
      );
      const { rows, truncated } = await select(connection, file.sql, maxFindings).catch(
        (error: unknown) => {
          throw new Fault('query', `The check ${file.name} cannot be run: ${messageOf(error)}`, {
            where: warehouse,
            advice: { text: 'Rebuild the warehouse.', command: 'windrow load' },
            cause: error,
          });
        },
      );
      results.push({
        check: file.name,
        severity: severityOf(file.severity),
        findings: rows,
        hasMore: truncated,
        meaning: file.meaning,
      });
    }
    return results;
  };
  return withWarehouse(warehouse, run, root, evidence);
}

function severityOf(text: string): Severity {
  if (text === 'error' || text === 'note') return text;
  throw new Error(`a check has the severity ${text}, which is neither error nor note`);
}

/** A digest of the queries of all checks and of the version of the DuckDB that runs them. */
async function nameOfQueries(): Promise<string> {
  const hash = createHash('sha256').update(`${FORMAT} ${version()}`);
  for (const folder of ['checks', 'evidence'] as const) {
    for (const { name, sql } of await sqlFiles(folder)) hash.update(`\n${folder} ${name}\n${sql}`);
  }
  return hash.digest('hex');
}

/** Names what a warehouse shows. Throws Fault('query') if it is missing or cannot be read. */
async function shownBy(warehouse: string): Promise<string> {
  return (
    (await publicationOf(warehouse))?.lakeDigest ?? withWarehouse(warehouse, async () => 'unnamed')
  );
}
