import type { Argv } from 'yargs';
import { layout } from '../land/layout.ts';
import { runChecks } from '../load/checks.ts';
import type { Console } from './console.ts';
import { jsonDocument, many } from './console.ts';
import { data, withExitCodes } from './options.ts';
import type { ExitCode } from './report.ts';

/** How many findings of one check are shown; --json shows all. */
const SHOWN_FINDINGS = 5;

export function checkOptions(args: Argv) {
  return withExitCodes(args).options({ data }).example('$0 check --json', 'all findings, as JSON');
}

/** `windrow check`: runs sql/checks over the warehouse; a row is a finding. */
export async function checkVerb(
  given: { readonly data: string },
  output: Console,
): Promise<ExitCode> {
  const results = await runChecks(layout(given.data).warehouse);
  const failed = results.some(
    ({ severity, findings }) => severity === 'error' && findings.length > 0,
  );
  if (output.isJson) output.out(jsonDocument({ passed: !failed, checks: results }));
  else {
    for (const { check, severity, findings, meaning } of results) {
      const verdict = findings.length === 0 ? 'ok' : many(findings.length, severity);
      output.out(`${check}: ${verdict}`);
      if (findings.length === 0) continue;
      output.out(`  ${meaning}`);
      for (const finding of findings.slice(0, SHOWN_FINDINGS)) {
        output.out(`  ${JSON.stringify(finding)}`);
      }
    }
  }
  return failed ? 4 : 0;
}
