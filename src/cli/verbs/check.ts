import { sqlFiles } from '../../curate/rule/sql-files.ts';
import { type Advice, Fault } from '../../fault.ts';
import { withLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import type { Layout } from '../../land/storage/layout.ts';
import { damageBehind } from '../../land/verify/damage-fault.ts';
import { verifyLake } from '../../land/verify/verify-lake.ts';
import { type CheckResult, runChecks } from '../../load/checks/run-checks.ts';
import { type QueryRow, query } from '../../load/query/query.ts';
import { visibleText } from '../../load/query/text-table.ts';
import { chainsToShow, needWholeLogs } from '../../run/lake/rebuild-warehouse.ts';
import { withReadyWarehouse } from '../../run/lake/with-warehouse.ts';
import type { Console } from '../terminal/console.ts';
import { counted, many } from '../terminal/console.ts';
import { type Arguments, data, list, toggle } from '../terminal/options.ts';
import { print, type VerbOf } from '../terminal/verb-result.ts';
import { verificationDocument, verificationLines } from '../terminal/verify-text.ts';

/** How many findings of one check are shown; --json shows all of the check's findings. */
const SHOWN_FINDINGS = 20;

export const checkOptions = {
  options: {
    data,
    deep: toggle('Verify every file first, as windrow verify does'),
    only: list('Names of the checks to run'),
  },
  examples: {
    '$0 check --json': 'all findings with their evidence, as JSON',
    '$0 check --deep': 'verifies every file, and then runs the checks',
  },
};

export type CheckArguments = Arguments<typeof checkOptions>;

/**
 * `windrow check`: runs sql/checks over the lake, where each row is a finding. With `deep` it
 * first verifies the files of the lake, else compares their sizes; damage gives exit code 1.
 */
export const checkVerb: VerbOf<typeof checkOptions> = async (input, output) => {
  const files = input.deep ? await verifyLake(input.data, localDisk) : undefined;
  const isDamaged = files !== undefined && files.damages.length > 0;
  if (isDamaged) print({ lines: verificationLines(files) }, output);
  await knownChecks(input.only ?? []);
  const check = (paths: Layout) => checkLake(input, paths, output);
  const checked = await withReadyWarehouse(input.data, output, check).catch((error: unknown) => {
    // The checks may stumble over the damage that is already named.
    if (isDamaged && error instanceof Fault) return error;
    throw error;
  });
  const stopped = checked instanceof Fault ? checked.paragraph(output) : undefined;
  const results = checked instanceof Fault ? [] : checked;
  const failed = results.some(
    ({ severity, findings }) => severity === 'error' && findings.length > 0,
  );
  const lines = results.flatMap(checkLines);
  const checksOk = results.filter(({ findings }) => findings.length === 0);
  const names = checksOk.map(({ check: name }) => name);
  if (files !== undefined && !isDamaged) names.push('files');
  if (names.length > 0) lines.push(`ok: ${names.join(', ')}`);
  if (stopped !== undefined) lines.push(`The checks could not run: ${stopped}`);
  const verified = files === undefined ? {} : { files: verificationDocument(files) };
  const passed = !failed && !isDamaged;
  const document = { passed, checks: results, checksStopped: stopped, ...verified };
  return { document, lines, exitCode: isDamaged ? 1 : failed ? 4 : 0 };
};

/** Throws Fault('usage') for a name that no check has. */
async function knownChecks(names: readonly string[]): Promise<void> {
  const checks = (await sqlFiles('checks')).map(({ name }) => name);
  const unknown = names.find((name) => !checks.includes(name));
  if (unknown === undefined) return;
  throw new Fault('usage', `There is no check ${JSON.stringify(unknown)}.`, {
    advice: `The checks are ${checks.join(', ')}.`,
  });
}

/** Runs the checks over the chains that the warehouse shows. */
async function checkLake(
  { only, deep }: CheckArguments,
  paths: Layout,
  output: Console,
): Promise<readonly CheckResult[]> {
  const { root, made, warehouse } = paths;
  const shown = await query(warehouse, 'SELECT chain FROM lake.tables LIMIT 1');
  const chain = shown.rows[0]?.['chain'];
  const { effects } = output;
  const name = chain === undefined ? undefined : String(chain);
  const chains = await chainsToShow(root, name, effects);
  return withLake({ root, made, chains, run: 'load', effects }, async (lake) => {
    if (!deep) await needWholeLogs(lake);
    const damage = deep ? undefined : await damageBehind('', root, localDisk);
    if (damage !== undefined) throw damage;
    return runChecks({ lake: { ...lake, layout: paths }, disk: localDisk, effects, only });
  });
}

/**
 * The lines of a check with findings: its meaning, and for each finding a sentence and the columns
 * that prove it. Control characters in values are escaped.
 */
export function checkLines({ check, severity, findings, hasMore, meaning }: CheckResult): Advice[] {
  if (findings.length === 0) return [];
  const shown = findings.slice(0, SHOWN_FINDINGS).flatMap(findingLines);
  const left = findings.length - SHOWN_FINDINGS;
  const atLeast = hasMore ? 'at least ' : '';
  const text = `  - ${atLeast}${counted(left)} more.`;
  const rest = left > 0 ? [{ text, command: 'windrow check --json' }] : [];
  const verdict = `${check}: ${atLeast}${many(findings.length, severity)}`;
  return [verdict, `  ${meaning}`, ...shown, ...rest];
}

function findingLines({ finding, ...evidence }: QueryRow): string[] {
  const entries = Object.entries(evidence).filter(([, value]) => value !== null && value !== '');
  const cells = entries.map(([column, value]) => `${column}=${cellText(value)}`);
  return [`  - ${visibleText(`${finding}.`)}`, `    ${visibleText(cells.join(' '))}`];
}

function cellText(value: unknown): string {
  return typeof value === 'string' && !/\s/.test(value) ? value : JSON.stringify(value);
}
