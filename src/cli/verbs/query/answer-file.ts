import { relative } from 'node:path';
import { destination, publish } from '../../../export/destination.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import type { Layout } from '../../../land/storage/layout.ts';
import { systemEffects } from '../../../system.ts';
import type { Console } from '../../terminal/console.ts';
import { many } from '../../terminal/console.ts';

export interface AnswerTo {
  readonly paths: Layout;
  readonly sql: string;
  readonly timeoutMs: number;
  readonly maxRows: number;
  /** A path, or `-` for stdout; undefined for stdout, too. */
  readonly out: string | undefined;
  /** An existing file may be replaced. */
  readonly force: boolean;
}

/** Writes a text to the file of --out, whole or not at all. */
export async function writeAnswer(text: string, to: AnswerTo, output: Console): Promise<void> {
  const file = to.out ?? '-';
  const options = { layout: to.paths, disk: localDisk, mayReplace: to.force };
  const place = await destination(file, options);
  try {
    await localDisk.write(place.making, `${text}\n`);
    await publish(place, localDisk);
  } finally {
    await localDisk.remove(place.making);
  }
  output.note(`Written to ${relative('', place.file)}.`);
}

/** Writes the rows of a SELECT over a warehouse as CSV, by the rules of `windrow export`. */
export async function writeCsvAnswer(to: AnswerTo, output: Console): Promise<void> {
  // Loaded here because its packages are large, and a table does not need them.
  const { exportFiles } = await import('../../../export/export.ts');
  const isFile = to.out !== undefined && to.out !== '-';
  const target = isFile ? { file: to.out ?? '' } : { stream: process.stdout };
  const narrowing = { limit: to.maxRows };
  const [written] = await exportFiles({
    layout: to.paths,
    wanted: [{ name: 'query', asked: { sql: to.sql }, narrowing, ...target }],
    format: 'csv',
    mayReplace: to.force,
    isRaw: false,
    timeoutMs: to.timeoutMs,
    effects: systemEffects('warn'),
    disk: localDisk,
  });
  if (written === undefined) return;
  if (isFile) output.note(`${many(written.rows, 'row')} in ${relative('', written.file)}.`);
  for (const note of written.notes) output.note(note);
  if (written.rows === to.maxRows) output.note('There may be more rows: see --max-rows.');
}
