import { jsonValue } from './json-value.ts';
import { withWarehouse } from './query.ts';
import { sqlFiles } from './sql-files.ts';

/** One check of `sql/checks`: every row it returns is a finding. */
export interface CheckResult {
  readonly check: string;
  /** An `error` means that something is wrong; a `note` that something should be known. */
  readonly severity: 'error' | 'note';
  /** What a finding means and what to do. */
  readonly meaning: string;
  readonly findings: readonly Record<string, unknown>[];
}

/** Runs all checks over a warehouse. Throws Fault('query') where there is none. */
export async function runChecks(warehouse: string): Promise<CheckResult[]> {
  const files = await sqlFiles('checks');
  return withWarehouse(warehouse, async (connection) => {
    const results: CheckResult[] = [];
    for (const { name, sql, meaning, severity } of files) {
      const reader = await connection.runAndReadAll(sql);
      const names = reader.columnNames();
      const findings = reader
        .getRows()
        .map((row) => Object.fromEntries(names.map((column, i) => [column, jsonValue(row[i])])));
      results.push({
        check: name,
        severity: severity === 'note' ? 'note' : 'error',
        meaning,
        findings,
      });
    }
    return results;
  });
}
