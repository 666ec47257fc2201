import { createHash } from 'node:crypto';
import { type DuckDBConnection, version } from '@duckdb/node-api';
import { type SqlFile, sqlFiles } from '../../curate/rule/sql-files.ts';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import type { Lake } from '../../land/lake.ts';
import type { Disk } from '../../land/storage/disk.ts';
import { literal } from '../../land/storage/sql-text.ts';
import { messageOf, withWarehouse } from '../query/open-warehouse.ts';
import { checksIn, checksSql } from '../query/publication.ts';
import { type QueryRow, select } from '../query/query.ts';
import { replaceWarehouse } from '../warehouse.ts';

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
  /** Names of the checks to run. Default: all. */
  readonly only?: readonly string[] | undefined;
  readonly maxFindings?: number;
  /** Stores the results in the warehouse; the caller holds the lock. */
  readonly isKept?: boolean;
}

/** Bound on the findings of one check: a larger number has one cause, and would fill the memory. */
const MAX_FINDINGS = 10_000;

/** Results of all checks over the content of a warehouse, as it stores them. */
interface StoredChecks {
  /** Digest of the queries, of the bound on findings, and of the version of DuckDB. */
  readonly name: string;
  readonly results: readonly CheckResult[];
}

/**
 * Runs the checks of `sql/checks`, in the order of their names, over the published warehouse;
 * findings at single heights come from the evidence in its curated tables. If the warehouse has the
 * results of these checks, they are returned as they are. Throws Fault('query') without a
 * warehouse.
 */
export async function runChecks(options: CheckOptions): Promise<CheckResult[]> {
  const { lake, disk, effects, only, maxFindings = MAX_FINDINGS, isKept = false } = options;
  const checks = await sqlFiles('checks');
  const chosen = checks.filter(({ name }) => only?.includes(name) ?? true);
  const name = nameOf(checks, maxFindings);
  const { results, isStored } = await resultsOf(lake, { name, chosen, maxFindings });
  if (isStored) return results.filter(({ check }) => chosen.some((file) => file.name === check));
  effects.reached('checks run');
  if (!isKept || only !== undefined) return results;
  const sql = checksSql(JSON.stringify({ name, results } satisfies StoredChecks));
  await replaceWarehouse({ lake, disk, effects }, sql);
  return results;
}

interface ChosenChecks {
  /** Name of the results of all checks. */
  readonly name: string;
  readonly chosen: readonly SqlFile[];
  readonly maxFindings: number;
}

/** The results that the warehouse has under this name; else it runs the queries of `sql/checks`. */
async function resultsOf(
  { layout: { warehouse, root } }: Lake,
  { name, chosen, maxFindings }: ChosenChecks,
): Promise<{ readonly results: CheckResult[]; readonly isStored: boolean }> {
  const run = async (connection: DuckDBConnection) => {
    const text = await checksIn(connection);
    const stored = text === undefined ? undefined : (JSON.parse(text) as StoredChecks);
    if (stored?.name === name) return { results: [...stored.results], isStored: true };
    const results: CheckResult[] = [];
    for (const file of chosen) {
      const answer = findings(connection, file, maxFindings);
      const { rows, truncated } = await answer.catch((cause: unknown) => {
        throw new Fault('query', `The check ${file.name} cannot be run: ${messageOf(cause)}`, {
          where: warehouse,
          advice: { text: 'Rebuild the warehouse.', command: 'windrow load' },
          cause,
        });
      });
      results.push({
        check: file.name,
        severity: severityOf(file.severity),
        findings: rows,
        hasMore: truncated,
        meaning: file.meaning,
      });
    }
    return { results, isStored: false };
  };
  return withWarehouse(warehouse, run, root);
}

/** The findings of one check; the warehouse may name files that are not there. */
async function findings(connection: DuckDBConnection, { name, sql }: SqlFile, maxRows: number) {
  const condition = `WHERE check_name = ${literal(name)}`;
  await connection.run(
    `CREATE OR REPLACE TEMP VIEW evidence AS
     SELECT * EXCLUDE (check_name) FROM curated.check_evidence ${condition}
     UNION ALL SELECT * EXCLUDE (check_name) FROM curated.zone_check_evidence ${condition}`,
  );
  return select(connection, sql, maxRows);
}

function severityOf(text: string): Severity {
  if (text === 'error' || text === 'note') return text;
  throw new Error(`a check has the severity ${text}, which is neither error nor note`);
}

function nameOf(checks: readonly SqlFile[], maxFindings: number): string {
  const hash = createHash('sha256').update(`${maxFindings} ${version()}`);
  for (const { name, sql } of checks) hash.update(`\n${name}\n${sql}`);
  return hash.digest('hex');
}
