import { grouped } from '../../coverage/grouped.ts';
import type { Region } from '../../coverage/slice.ts';
import type { Advice } from '../../fault.ts';
import {
  CAPTURED_ADVICE,
  CHECKPOINT_ADVICE,
  CURATED_ADVICE,
  RESTORE_ADVICE,
} from '../../land/storage/damage.ts';
import {
  type Damage,
  isCurated,
  isFetched,
  type LakeVerification,
} from '../../land/verify/verify-lake.ts';
import type { TableVerification } from '../../land/verify/verify-table.ts';
import { isOfSnapshot } from '../../plan/repair-plan.ts';
import { isDamageOf } from '../../run/repair-logs.ts';
import { counted, heights, many } from './console.ts';

/** Lists, files and versions that are shown of each; --json shows all. */
const SHOWN = 5;
/** Keys of a list that are named. */
const SHOWN_KEYS = 3;

const SNAPSHOT_ADVICE =
  'This list shows a state that no service reports again: if you have a copy of this file, ' +
  'restore it before you repair.';

/** A line for every table, a paragraph for every damaged file, and advice. */
export function verificationLines(verification: LakeVerification): Advice[] {
  const { damages } = verification;
  if (damages.length === 0) return findingLines(verification);
  return [...findingLines(verification), foundText(damages), ...new Set(damages.map(adviceOn))];
}

function adviceOn(damage: Damage): Advice {
  if (damage.kind === 'checkpoint') return CHECKPOINT_ADVICE;
  if (!isFetched(damage.table)) return CAPTURED_ADVICE;
  return isCurated(damage) ? CURATED_ADVICE : RESTORE_ADVICE;
}

/** Like `verificationLines`, without advice. */
export function findingLines({ tables, damages }: LakeVerification): string[] {
  const lines = tables.flatMap((table) => {
    return tableLines(
      table,
      damages.filter((damage) => isDamageOf(damage, table)),
    );
  });
  const lost = damages.filter((damage) => !tables.some((table) => isDamageOf(damage, table)));
  if (tables.length === 0) lines.push('There are no tables to verify.');
  return [...lines, ...lost.flatMap(damageLines)];
}

/** A sentence with the number of damaged files. */
export function foundText(damages: readonly Damage[]): string {
  const count = damages.length;
  return `${many(count, 'file')} of the lake ${count === 1 ? 'is' : 'are'} damaged.`;
}

function tableLines(result: TableVerification, damages: readonly Damage[]): string[] {
  const { log, files } = result;
  const held = `${many(log.entries, 'log entry')}, ${many(files, 'data file')}`;
  const verdict = damages.length === 0 ? 'no damage' : 'DAMAGED';
  return [
    `${result.chain} ${result.table}: ${held}: ${verdict}`,
    ...damages.flatMap(damageLines),
    ...unprovenLines(result),
    ...named('Damaged, but only in older versions, which only --as-of reads', result.outdated),
    ...named('Not read as log entries, because no log reaches their versions', log.strays),
    ...named('Not named by any readable log entry, so no query reads them', result.orphans),
  ];
}

/** Files that cannot be verified; they are not failures. */
function unprovenLines({ log, unproven }: TableVerification): string[] {
  const versions = log.unproven.map((version) => `version ${version}`);
  return [
    ...named('Log entries without a digest, which cannot be verified', versions),
    ...named('Data files without a digest, of which only the size was compared', unproven),
    ...named('Checkpoints without a digest, which cannot be verified', log.unprovenCheckpoints),
  ];
}

/** ` Title (3): a, b, c`; empty if there are no names. */
function named(title: string, names: readonly string[]): string[] {
  if (names.length === 0) return [];
  return [`  ${title} (${counted(names.length)}): ${firstOf(names, SHOWN)}`];
}

/** The first names, and how many more there are. */
export function firstOf(names: readonly string[], shown = SHOWN, separator = ', '): string {
  const more = names.length > shown ? ` and ${counted(names.length - shown)} more` : '';
  return `${names.slice(0, shown).join(separator)}${more}`;
}

/** A damaged file: its rows, and the lists, blocks and keys that these were landed for. */
export function damageLines({ path, finding, rows, regions }: Damage): string[] {
  const held = rows === undefined ? '' : ` It held ${many(rows, 'row')}.`;
  return [
    `  ${path}: ${finding}${held}`,
    ...regionLines(regions).map((line) => `    ${line}`),
    ...(regions.some(isOfSnapshot) ? [`    ${SNAPSHOT_ADVICE}`] : []),
  ];
}

/** A line for each of the first lists: its blocks, and the first of its keys. */
export function regionLines(regions: readonly Region[]): string[] {
  const lists = [...grouped(regions, listText)];
  const lines = lists.map(([list, parts]) => `${list}, ${extentText(parts)}`);
  if (lines.length <= SHOWN) return lines;
  return [...lines.slice(0, SHOWN), `and ${many(lines.length - SHOWN, 'more list')}: see --json`];
}

/** An endpoint with its filters. */
export function listText({ endpoint, variant }: Pick<Region, 'endpoint' | 'variant'>): string {
  return variant === '' ? endpoint : `${endpoint} (${variant})`;
}

/** `blocks 10 to 99 (in 4 ranges), 12 keys: 0xa, 0xb, 0xc and 9 more`. */
function extentText(regions: readonly Region[]): string {
  const from = Math.min(...regions.map((region) => region.from));
  const to = Math.max(...regions.map((region) => region.to));
  const ranges = new Set(regions.map((region) => `${region.from}-${region.to}`)).size;
  const parts = ranges === 1 ? '' : ` (in ${many(ranges, 'range')})`;
  const keys = [...new Set(regions.flatMap((region) => region.keys))].filter((key) => key !== '');
  const keyList =
    keys.length === 0 ? '' : `, ${many(keys.length, 'key')}: ${firstOf(keys, SHOWN_KEYS)}`;
  return `blocks ${heights({ from, to })}${parts}${keyList}`;
}

/** The verification as JSON. */
export function verificationDocument(verification: LakeVerification): Record<string, unknown> {
  return {
    damaged: verification.damages,
    tables: verification.tables.map((table) => ({
      chain: table.chain,
      table: table.table,
      version: table.log.newest,
      entries: table.log.entries,
      files: table.files,
      unprovenEntries: table.log.unproven,
      strayEntries: table.log.strays,
      unprovenFiles: table.unproven,
      checkpoints: table.log.checkpoints,
      unprovenCheckpoints: table.log.unprovenCheckpoints,
      outdated: table.outdated,
      orphans: table.orphans,
    })),
  };
}
