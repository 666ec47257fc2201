import type { Argv } from 'yargs';
import { layout } from '../land/layout.ts';
import { type CheckResult, runChecks } from '../load/checks.ts';
import type { QueryRow } from '../load/query.ts';
import { visibleText } from '../load/text-table.ts';
import type { Console } from './console.ts';
import { counted, jsonDocument, many } from './console.ts';
import { needWarehouse } from './load.ts';
import { data, withExitCodes } from './options.ts';
import type { ExitCode } from './report.ts';

/** How many findings of one check are shown; --json shows all that a check tells. */
const SHOWN_FINDINGS = 20;

export function checkOptions(args: Argv) {
  return withExitCodes(args)
    .options({ data })
    .example('$0 check --json', 'all findings with their evidence, as JSON');
}

/** `windrow check`: runs sql/checks over the warehouse; a row is a finding. */
export async function checkVerb(
  given: { readonly data: string },
  output: Console,
): Promise<ExitCode> {
  await needWarehouse(given.data, output);
  const results = await runChecks(layout(given.data).warehouse);
  const failed = results.some(
    ({ severity, findings }) => severity === 'error' && findings.length > 0,
  );
  if (output.isJson) output.out(jsonDocument({ passed: !failed, checks: results }));
  else for (const line of results.flatMap(checkLines)) output.out(line);
  return failed ? 4 : 0;
}

/**
 * One line for a check without findings. Else also what they mean and what to do, and of each a
 * sentence and the columns that prove it; texts that strangers chose are made visible.
 */
export function checkLines({ check, severity, findings, hasMore, meaning }: CheckResult): string[] {
  if (findings.length === 0) return [`${check}: ok`];
  const shown = findings.slice(0, SHOWN_FINDINGS).flatMap(findingLines);
  const left = findings.length - SHOWN_FINDINGS;
  const atLeast = hasMore ? 'at least ' : '';
  const rest = left > 0 ? [`  - ${atLeast}${counted(left)} more: see windrow check --json`] : [];
  const verdict = `${check}: ${atLeast}${many(findings.length, severity)}`;
  return [verdict, `  ${meaning}`, ...shown, ...rest];
}

function findingLines({ finding, ...evidence }: QueryRow): string[] {
  const known = Object.entries(evidence).filter(([, value]) => value !== null && value !== '');
  const cells = known.map(([column, value]) => `${column}=${cellText(value)}`);
  return [`  - ${visibleText(`${finding}.`)}`, `    ${visibleText(cells.join(' '))}`];
}

function cellText(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
}
