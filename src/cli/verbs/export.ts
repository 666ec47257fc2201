import { relative } from 'node:path';
import type { Argv } from 'yargs';
import type { Exported, ExportOne } from '../../export/export.ts';
import { FORMATS, type Format, formatOf } from '../../export/formats.ts';
import { Fault } from '../../fault.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { systemEffects } from '../../system.ts';
import { withWarehouseOf } from '../job/with-warehouse.ts';
import type { Console } from '../terminal/console.ts';
import { counted, jsonDocument, many } from '../terminal/console.ts';
import { asOf, data, wholeNumber, withExitCodes } from '../terminal/options.ts';
import { withAdvice } from '../terminal/query-advice.ts';
import type { ExitCode } from '../terminal/report.ts';

export function exportOptions(args: Argv) {
  return (
    withExitCodes(args)
      // Several names count as one repeated argument; of any other option, the last value counts.
      .parserConfiguration({ 'duplicate-arguments-array': true })
      .middleware((given) => {
        for (const [name, value] of Object.entries(given)) {
          if (Array.isArray(value) && name !== 'what' && name !== '_') given[name] = value.at(-1);
        }
      }, true)
      .positional('what', {
        type: 'string',
        array: true,
        default: [] as string[],
        describe: 'Views of the warehouse, e.g. transactions lake.transactions',
      })
      .options({
        data,
        ...asOf,
        view: { type: 'string', describe: 'A view; the same as naming it without --view' },
        sql: { type: 'string', describe: 'One SELECT' },
        name: { type: 'string', describe: 'Name of the file for --sql', default: 'query' },
        format: {
          type: 'string',
          choices: Object.keys(FORMATS),
          describe: 'File format; default: the ending of --out, else parquet',
        },
        out: { type: 'string', describe: 'File to write, instead of DIR/exports/NAME.FORMAT' },
        force: { type: 'boolean', default: false, describe: 'Replace existing files' },
        'raw-text': {
          type: 'boolean',
          default: false,
          describe: 'CSV: do not escape text that a spreadsheet would run as a formula',
        },
        timeout: { type: 'string', default: '3600', describe: 'Time limit in seconds' },
      })
      .example('$0 export address_activity', 'a view, as Parquet in DIR/exports')
      .example('$0 export transactions blocks --format csv', 'several views, for spreadsheets')
      .example('$0 export --sql "SELECT ..." --out fees.arrow', 'a query result, as Arrow IPC')
  );
}

export interface ExportArguments {
  readonly what: readonly string[];
  readonly view?: string | undefined;
  readonly sql?: string | undefined;
  readonly name: string;
  readonly format?: string | undefined;
  readonly out?: string | undefined;
  readonly force: boolean;
  readonly rawText: boolean;
  readonly timeout: string;
  readonly data: string;
  readonly asOf?: string | undefined;
}

/** `windrow export`: writes views or a query result as files. Ctrl-C leaves no partial file. */
export async function exportVerb(given: ExportArguments, output: Console): Promise<ExitCode> {
  const seconds = wholeNumber('--timeout', given.timeout, 1, 86_400);
  const format = formatFor(given);
  // Loaded here because its packages are large and no other verb needs them.
  const { exportFiles } = await import('../../export/export.ts');
  const stopping = new AbortController();
  const stop = (): void => stopping.abort(new Error('interrupted'));
  process.on('SIGINT', stop);
  process.on('SIGTERM', stop);
  try {
    const job = {
      layout: layout(given.data),
      wanted: wantedOf(given),
      format,
      mayReplace: given.force,
      isRaw: given.rawText,
      timeoutMs: seconds * 1000,
      stop: stopping.signal,
      effects: systemEffects('warn'),
      disk: localDisk,
    };
    const write = (warehouse: string): Promise<Exported[]> =>
      exportFiles({ ...job, layout: { ...job.layout, warehouse } });
    const exported = await withWarehouseOf(given, output, write).catch(async (error) => {
      throw await withAdvice(error, given.data, given.sql ?? '');
    });
    for (const { name, notes } of exported) {
      for (const note of notes) output.note(`${name}: ${note}`);
    }
    if (output.isJson) output.out(jsonDocument({ data: given.data, exports: exported }));
    else for (const each of exported) output.out(lineOf(each));
    return 0;
  } finally {
    process.off('SIGINT', stop);
    process.off('SIGTERM', stop);
  }
}

function wantedOf({ what, view, sql, name, out }: ExportArguments): ExportOne[] {
  const views = [...new Set(view === undefined ? what : [...what, view])];
  const wanted: ExportOne[] = views.map((each) => ({ name: each, asked: { view: each } }));
  if (sql !== undefined) wanted.push({ name: fileName(name), asked: { sql } });
  const [first] = wanted;
  if (first === undefined) {
    throw new Fault('usage', 'export needs a view or a SELECT.', {
      advice: 'Name a view (windrow describe lists them), or give --sql "SELECT ...".',
    });
  }
  if (out === undefined) return wanted;
  if (wanted.length > 1) {
    throw new Fault(
      'usage',
      `--out names one file, but there are ${wanted.length} views to write.`,
      {
        advice: 'Omit --out: the files go to the folder exports of the data root.',
      },
    );
  }
  return [{ ...first, file: out }];
}

/** The name of a file; only --out may name folders. */
function fileName(name: string): string {
  if (/^[\w-][\w.-]*$/.test(name)) return name;
  throw new Fault('usage', `--name is not a plain file name (${JSON.stringify(name)}).`, {
    advice: 'Use letters, digits, dots, - and _, or give a path with --out FILE.',
  });
}

function formatFor({ format, out }: ExportArguments): Format {
  if (format !== undefined) return format as Format;
  if (out === undefined) return 'parquet';
  const found = formatOf(out);
  if (found !== undefined) return found;
  throw new Fault('usage', `--out has no known file ending (${out}).`, {
    advice: `Give --format, or use one of the endings .${Object.values(FORMATS).join(', .')}.`,
  });
}

function lineOf({ name, file, rows, bytes, sha256, seconds }: Exported): string {
  const place = relative('', file);
  return (
    `${name}: ${many(rows, 'row')} in ${place.startsWith('..') ? file : place}, ` +
    `${counted(bytes)} bytes, ${seconds.toFixed(1)} s, sha256 ${sha256}`
  );
}
