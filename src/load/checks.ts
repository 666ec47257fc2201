import { sqlFiles } from '../curate/rule/sql-files.ts';
import { Fault } from '../fault.ts';
import { messageOf, withWarehouse } from './query/open-warehouse.ts';
import { type QueryRow, select } from './query/query.ts';

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

/** Bound on the findings of one check: a larger number has one cause, and would fill the memory. */
const MAX_FINDINGS = 10_000;

/** Runs every file of `sql/checks` over a warehouse, in the order of their names. */
export async function runChecks(
  warehousePath: string,
  maxFindings = MAX_FINDINGS,
): Promise<CheckResult[]> {
  const files = await sqlFiles('checks');
  return withWarehouse(warehousePath, async (connection) => {
    const results: CheckResult[] = [];
    for (const file of files) {
      const { rows, truncated } = await select(connection, file.sql, maxFindings).catch(
        (error: unknown) => {
          throw new Fault('query', `The check ${file.name} cannot be run: ${messageOf(error)}`, {
            where: warehousePath,
            advice: 'Run a pipeline again: it rebuilds the warehouse.',
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
  });
}

function severityOf(text: string): Severity {
  if (text === 'error' || text === 'note') return text;
  throw new Error(`a check has the severity ${text}, which is neither error nor note`);
}
