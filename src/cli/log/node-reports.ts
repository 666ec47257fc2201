/** The switches of Node's diagnostic reports, which `NODE_OPTIONS` sets. */
export interface NodeReports {
  /** Absent before Node 22.13. */
  excludeEnv?: boolean;
  reportOnFatalError: boolean;
  reportOnSignal: boolean;
  reportOnUncaughtException: boolean;
}

/**
 * Keeps secrets out of Node's diagnostic reports, which hold all environment variables. Where Node
 * cannot leave these out, it writes no report; the text for the user says so.
 */
export function withoutSecrets(reports: NodeReports): string | undefined {
  if (reports.excludeEnv !== undefined) {
    reports.excludeEnv = true;
    return undefined;
  }
  const { reportOnFatalError, reportOnSignal, reportOnUncaughtException } = reports;
  if (!reportOnFatalError && !reportOnSignal && !reportOnUncaughtException) return undefined;
  reports.reportOnFatalError = false;
  reports.reportOnSignal = false;
  reports.reportOnUncaughtException = false;
  return 'No diagnostic report is written: this version of Node would put secrets into it.';
}
