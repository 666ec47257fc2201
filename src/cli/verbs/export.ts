import { relative } from 'node:path';
import type { Exported, ExportOne } from '../../export/export.ts';
import { FORMAT_NAMES, type Format, formatNamed, formatOf } from '../../export/formats/formats.ts';
import { Fault } from '../../fault.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { wholeNumber } from '../../pipeline/syntax/fields.ts';
import { withWarehouseOf } from '../../run/lake/with-warehouse.ts';
import { stoppedBySignals } from '../job/stop-signals.ts';
import type { Console } from '../terminal/console.ts';
import { counted, many } from '../terminal/console.ts';
import { type Arguments, asOf, data, rest, textOption, toggle } from '../terminal/options.ts';
import type { VerbOf } from '../terminal/verb-result.ts';

export const exportOptions = {
  options: {
    what: rest('Views of the warehouse, e.g. transactions lake.transactions'),
    data,
    asOf,
    sql: textOption('One SELECT'),
    name: textOption('Name of the file for --sql', 'query'),
    format: {
      ...textOption('File format; default: the ending of --out, else parquet'),
      choices: FORMAT_NAMES,
    },
    out: textOption('File to write, instead of DIR/exports/NAME.FORMAT; - for stdout'),
    where: textOption('Condition in SQL on the rows to write'),
    columns: textOption('Columns to write, in this order: a,b,c'),
    orderBy: textOption('Columns that order the rows; default: all, for CSV, XLSX and JSON Lines'),
    partitionBy: textOption(
      'Parquet: a folder of files, one per value of this column, e.g. block_date',
    ),
    force: toggle('Replace existing files'),
    rawText: toggle('CSV for programs: nothing is escaped for spreadsheets'),
    timeout: textOption('Time limit in seconds', '3600'),
  },
  examples: {
    '$0 export address_activity': 'a view, as Parquet in DIR/exports',
    '$0 export transactions blocks --format xlsx': 'several views, as workbooks',
    '$0 export blocks --partition-by block_date': 'a folder of Parquet files',
    '$0 export blocks --where "gas_used = 0"': 'some rows',
    '$0 export transactions --format arrow --out -': 'a stream of record batches',
    '$0 export --sql "SELECT ..." --out fees.arrow': 'a query result, as Arrow IPC',
  },
};

export type ExportArguments = Arguments<typeof exportOptions>;

/** `windrow export`: writes views or a query result as files. Ctrl-C leaves no partial file. */
export const exportVerb: VerbOf<typeof exportOptions> = async (input, output) => {
  const seconds = wholeNumber('--timeout', input.timeout, 1, 86_400);
  const format = formatFor(input);
  const wanted = wantedOf(input, format, output);
  // Loaded here because its packages are large and no other verb needs them.
  const { exportFiles } = await import('../../export/export.ts');
  const { effects } = output;
  const progress = exportProgress(output);
  const job = {
    wanted,
    format,
    ...(input.partitionBy === undefined ? {} : { partitionBy: input.partitionBy }),
    mayReplace: input.force,
    isRaw: input.rawText,
    timeoutMs: seconds * 1000,
    effects,
    disk: localDisk,
    onStart: progress.start,
  };
  const lake = { root: input.data, asOf: input.asOf };
  const exported = await stoppedBySignals((stop) => {
    return withWarehouseOf(lake, output, (paths) => {
      return exportFiles({ ...job, stop, layout: paths });
    });
  }).finally(progress.close);
  for (const { name, notes } of exported) {
    for (const note of notes) output.note(`${name}: ${note}`);
  }
  const document = { data: input.data, exports: exported };
  const [first] = exported;
  // The rows themselves went to stdout.
  if (first?.file === '-') {
    const hint = `${first.name}: ${many(first.rows, 'row')}, ${first.seconds.toFixed(1)} s`;
    return { document, hint, exitCode: 0 };
  }
  return { document, lines: exported.map(exportedText), exitCode: 0 };
};

function wantedOf(input: ExportArguments, format: Format, output: Console): ExportOne[] {
  const { what, sql, name, out } = input;
  const narrowing = narrowingOf(input, format);
  const wanted: ExportOne[] = [...new Set(what)].map((view) => {
    return { name: view, source: { view }, narrowing };
  });
  if (sql !== undefined) wanted.push({ name: fileName(name), source: { sql }, narrowing });
  const [first] = wanted;
  if (first === undefined) {
    throw new Fault('usage', 'export needs a view or a SELECT.', {
      advice: 'Name a view (windrow describe lists them), or give --sql "SELECT ...".',
    });
  }
  if (out === undefined) return wanted;
  if (wanted.length > 1) {
    const finding = `--out names one file, but there are ${wanted.length} views to write.`;
    throw new Fault('usage', finding, {
      advice: 'Omit --out: the files go to the folder exports of the data root.',
    });
  }
  if (out !== '-') return [{ ...first, file: out }];
  checkStdout(input, format, output);
  return [{ ...first, stream: process.stdout }];
}

function narrowingOf({ where, columns, orderBy, partitionBy }: ExportArguments, format: Format) {
  if (partitionBy !== undefined && format !== 'parquet') {
    throw new Fault('usage', `--partition-by writes Parquet, not ${format}.`, {
      advice: 'Omit --format, or omit --partition-by.',
    });
  }
  return {
    ...(where === undefined ? {} : { where }),
    ...(columns === undefined ? {} : { columns: namesIn('--columns', columns) }),
    ...(orderBy === undefined ? {} : { order: namesIn('--order-by', orderBy) }),
  };
}

function namesIn(option: string, text: string): string[] {
  const names = text.split(',').map((name) => name.trim());
  if (names.every((name) => name !== '')) return names;
  throw new Fault('usage', `${option} has an empty name (${JSON.stringify(text)}).`, {
    advice: 'Separate names of columns by commas: block_number,tx_hash.',
  });
}

function checkStdout({ partitionBy }: ExportArguments, format: Format, output: Console): void {
  const why =
    partitionBy !== undefined
      ? 'stdout cannot take a folder of files'
      : output.isJson
        ? '--json prints its own document to stdout'
        : output.tableWidth !== undefined && formatNamed(format).isPrintable !== true
          ? `a terminal cannot show ${format}`
          : undefined;
  if (why === undefined) return;
  throw new Fault('usage', `--out - is impossible here: ${why}.`, {
    advice: 'Give a path with --out FILE, or send stdout to a file or a program.',
  });
}

/** The name of a file; only --out may name folders. */
function fileName(name: string): string {
  if (/^[\w-][\w.-]*$/.test(name)) return name;
  throw new Fault('usage', `--name is not a plain file name (${JSON.stringify(name)}).`, {
    advice: 'Use letters, digits, dots, - and _, or give a path with --out FILE.',
  });
}

function formatFor({ format, out, partitionBy }: ExportArguments): Format {
  if (format !== undefined) return format as Format;
  if (out === undefined || partitionBy !== undefined) return 'parquet';
  if (out === '-') return 'csv';
  const fileFormat = formatOf(out);
  if (fileFormat !== undefined) return fileFormat;
  const endings = FORMAT_NAMES.map((name) => `.${formatNamed(name).extension}`);
  throw new Fault('usage', `--out has no known file ending (${out}).`, {
    advice: `Give --format, or use one of the endings ${endings.join(', ')}.`,
  });
}

function exportedText({ name, file, rows, bytes, sha256, seconds }: Exported): string {
  const place = relative('', file);
  const digest = sha256 === null ? '' : `, sha256 ${sha256}`;
  return (
    `${name}: ${many(rows, 'row')} in ${place.startsWith('..') ? file : place}, ` +
    `${counted(bytes)} bytes, ${seconds.toFixed(1)} s${digest}`
  );
}

const TICK_MS = 500;
const MIB = 1024 * 1024;

/** Shows the name, the size and the time of the current export on a terminal. */
function exportProgress(output: Console) {
  const { effects } = output;
  const none = { name: '', making: '', startedMs: 0 };
  let current = none;
  const show = async (): Promise<void> => {
    const { name, making, startedMs } = current;
    // Folders and streams have no size of their own.
    const facts = await localDisk.stat(making).catch(() => undefined);
    if (name === '' || current === none) return;
    const seconds = Math.round((effects.now() - startedMs) / 1000);
    const size = facts?.kind === 'file' ? `${counted(facts.bytes / MIB)} MiB, ` : '';
    output.statusLine?.show(`${name}: ${size}${seconds} s`);
  };
  const end = output.isTerminal ? effects.every?.(TICK_MS, () => void show()) : undefined;
  return {
    /** An export begins; its bytes arrive at the path. */
    start: (name: string, making: string): void => {
      current = { name, making, startedMs: effects.now() };
    },
    close: (): void => {
      current = none;
      end?.();
      output.statusLine?.show('');
    },
  };
}
