import type { Advice } from '../../fault.ts';
import type { LostRegion } from '../../plan/repair-plan.ts';
import type { FailedSlice } from '../../run/outcomes.ts';
import type { Repair } from '../../run/repair.ts';
import { counted, many } from './console.ts';
import {
  damageLines,
  findingLines,
  firstOf,
  foundText,
  regionLines,
  verificationDocument,
  verificationLines,
} from './verify-text.ts';

/** Damaged files and failed slices that are shown of each; --json shows all. */
const SHOWN = 10;

/** Each damaged file with its contents, how it was repaired, and everything that was not. */
export function repairLines(repaired: Repair): Advice[] {
  const { before, after, short, unknown, gone, aside } = repaired;
  if (before.damages.length === 0) return verificationLines(after);
  const lines: Advice[] = [
    foundText(before.damages),
    ...shown(before.damages, damageLines),
    ...logLines(repaired),
    ...lostLines(repaired.lost),
    ...failedLines(repaired.failed),
  ];
  if (unknown.length > 0) {
    const files = `${many(unknown.length, 'data file')}: ${firstOf(unknown)}`;
    lines.push(`Not fetched again, because the log does not say which keys they hold: ${files}.`);
  }
  if (gone.length > 0) {
    lines.push({
      text:
        `Lost, because captured rows and submissions cannot be fetched again: ${firstOf(gone)}. ` +
        'All other rows of their tables are left. With keepJournal, state/stream has the frames.',
      command: 'windrow contract list',
    });
  }
  if (short > 0) {
    const text = `${many(short, 'slice')} ended short of complete.`;
    lines.push({ text, command: 'windrow status' });
  }
  if (aside !== undefined) lines.push(`The damaged files were moved to ${aside}.`);
  if (after.damages.length > 0) {
    const advice =
      'Restore these files from a copy, or repair with the pipeline that fetched their contents.';
    return [...lines, ...findingLines(after), `Still damaged: ${advice}`];
  }
  return [
    ...lines,
    `Everything ${lacksRows(repaired) ? 'else ' : ''}was restored or fetched again.`,
  ];
}

/** Whether rows were lost, or not fetched again. */
export function lacksRows({ lost, failed, unknown, gone, short }: Repair): boolean {
  return lost.length + failed.length + unknown.length + gone.length + short > 0;
}

function logLines({ mended, cut }: Repair): string[] {
  const lines: string[] = [];
  if (mended.length > 0) {
    const entries = many(mended.length, 'log entry');
    lines.push(`Restored ${entries} in which one bit had changed: ${firstOf(mended)}.`);
  }
  if (cut.length > 0) {
    lines.push(
      `Cut before the first damaged entry: the ${cut.length === 1 ? 'log' : 'logs'} of ` +
        `${firstOf(cut)}. Everything that this pipeline asks of them was fetched again; run the ` +
        'other pipelines that fill them, too.',
    );
  }
  return lines;
}

function lostLines(lost: readonly LostRegion[]): string[] {
  const reasons = [...new Set(lost.map(({ reason }) => reason))];
  return reasons.flatMap((reason) => {
    const lines = regionLines(lost.filter((region) => region.reason === reason));
    return [`Not fetched again, because ${reason}:`, ...lines.map((line) => `  ${line}`)];
  });
}

function failedLines(failed: readonly FailedSlice[]): string[] {
  if (failed.length === 0) return [];
  const line = ({ endpoint, from, to, keys, reason }: FailedSlice): string[] => {
    return [`  ${endpoint}, blocks ${from} to ${to}, ${many(keys.length, 'key')}: ${reason}`];
  };
  return [`${many(failed.length, 'slice')} failed:`, ...shown(failed, line)];
}

function shown<T>(all: readonly T[], lines: (one: T) => string[]): string[] {
  const more = all.length - SHOWN;
  const rest = more > 0 ? [`  and ${counted(more)} more: see --json`] : [];
  return [...all.slice(0, SHOWN).flatMap(lines), ...rest];
}

/** The repair as JSON: the verified lake, and the repaired files. */
export function repairDocument(repaired: Repair): Record<string, unknown> {
  const { before, after, mended, cut, lost, failed, short, unknown, gone } = repaired;
  const { aside = null } = repaired;
  const result = { before: before.damages, mended, cut, lost, failed, short, unknown, gone, aside };
  return { ...verificationDocument(after), repair: result };
}
