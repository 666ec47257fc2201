import type { Region } from '../../coverage/slice.ts';
import { RESTORE_ADVICE } from '../../land/storage/damage.ts';
import type { Damage, LakeVerification } from '../../land/verify/verify-lake.ts';
import type { TableVerification } from '../../land/verify/verify-table.ts';
import { isOfSnapshot } from '../../plan/repair-plan.ts';
import { counted, heights, many } from './console.ts';

/** Regions, orphans and versions that are shown of each; --json shows all. */
const SHOWN = 5;

const SNAPSHOT_ADVICE =
  'A state as of a past block cannot be fetched again: if you have a copy of this file, restore ' +
  'it before you repair.';

/** A line for every table, one for all that is damaged, and what to do about it. */
export function verificationLines({ tables, damages }: LakeVerification): string[] {
  const lines = tables.flatMap((table) => {
    return tableLines(
      table,
      damages.filter((each) => isOf(each, table)),
    );
  });
  const lost = damages.filter((each) => !tables.some((table) => isOf(each, table)));
  if (tables.length === 0) lines.push('There are no tables to verify.');
  lines.push(...lost.flatMap(damageLines));
  if (damages.length > 0) lines.push(`${foundText(damages)} ${RESTORE_ADVICE}`);
  return lines;
}

/** How much is damaged, as a sentence. */
export function foundText(damages: readonly Damage[]): string {
  const count = damages.length;
  return `${many(count, 'file')} of the lake ${count === 1 ? 'is' : 'are'} damaged.`;
}

function isOf(damage: Damage, { chain, table }: TableVerification): boolean {
  return damage.chain === chain && damage.table === table;
}

function tableLines(of: TableVerification, damages: readonly Damage[]): string[] {
  const { log, files } = of;
  const entries = log.entries === 1 ? '1 log entry' : `${counted(log.entries)} log entries`;
  const held = `${entries}, ${many(files, 'data file')}`;
  const verdict = damages.length === 0 ? 'no damage' : 'DAMAGED';
  return [
    `${of.chain} ${of.table}: ${held}: ${verdict}`,
    ...damages.flatMap(damageLines),
    ...unprovenLines(of),
    ...named('data files of older versions are damaged; no query reads them', of.outdated),
    ...named('files are named by no readable log entry; no query reads them', of.orphans),
  ];
}

/** What nothing proves: it is no failure. */
function unprovenLines({ log, unproven }: TableVerification): string[] {
  const by = 'by another program or an older windrow, without a digest: cannot be verified';
  return [
    ...named(
      `log entries written ${by}`,
      log.unproven.map((version) => `version ${version}`),
    ),
    ...named(`data files written ${by} but for their sizes`, unproven),
    ...named('files of checkpoints by another program: cannot be verified', log.checkpoints),
  ];
}

/** `  3 ...: a, b, c`; nothing where there are none. */
function named(what: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  const more = names.length > SHOWN ? ` and ${counted(names.length - SHOWN)} more` : '';
  return [`  ${counted(names.length)} ${what}: ${names.slice(0, SHOWN).join(', ')}${more}`];
}

function damageLines({ path, finding, rows, regions }: Damage): string[] {
  const held = rows === undefined ? '' : ` It held ${many(rows, 'row')}.`;
  const left = regions.length - SHOWN;
  return [
    `  ${path}: ${finding}${held}`,
    ...regions.slice(0, SHOWN).map((region) => `    ${regionText(region)}`),
    ...(left > 0 ? [`    and ${counted(left)} more: see --json`] : []),
    ...(regions.some(isOfSnapshot) ? [`    ${SNAPSHOT_ADVICE}`] : []),
  ];
}

export function regionText({ endpoint, variant, keys, ...interval }: Region): string {
  const filter = variant === '' ? '' : ` (${variant})`;
  const of = keys[0] === '' ? '' : `, ${many(keys.length, 'key')}`;
  return `${endpoint}${filter}, blocks ${heights(interval)}${of}`;
}

/** The verification as JSON. */
export function verificationDocument(of: LakeVerification): Record<string, unknown> {
  return {
    damaged: of.damages,
    tables: of.tables.map((table) => ({
      chain: table.chain,
      table: table.table,
      version: table.log.newest,
      entries: table.log.entries,
      files: table.files,
      unprovenEntries: table.log.unproven,
      unprovenFiles: table.unproven,
      checkpoints: table.log.checkpoints,
      outdated: table.outdated,
      orphans: table.orphans,
    })),
  };
}
