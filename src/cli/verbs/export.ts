import { relative } from 'node:path';
import type { Argv } from 'yargs';
import type { Exported, ExportOne } from '../../export/export.ts';
import { FORMATS, type Format, formatOf } from '../../export/formats.ts';
import { Fault } from '../../fault.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { systemEffects } from '../../system.ts';
import { withReadyWarehouse } from '../job/ready-warehouse.ts';
import type { Console } from '../terminal/console.ts';
import { counted, jsonDocument, many } from '../terminal/console.ts';
import { data, wholeNumber, withExitCodes } from '../terminal/options.ts';
import { withAdvice } from '../terminal/query-advice.ts';
import type { ExitCode } from '../terminal/report.ts';

export function exportOptions(args: Argv) {
  return (
    withExitCodes(args)
      // Several names count as one argument given several times; of anything else the last holds.
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
        describe: 'Views of the warehouse, as in: transactions lake.transactions',
      })
      .options({
        data,
        view: { type: 'string', describe: 'A view, like naming it without --view' },
        sql: { type: 'string', describe: 'One SELECT, for what no view gives' },
        name: { type: 'string', describe: 'What to call the file of --sql', default: 'query' },
        format: {
          type: 'string',
          choices: Object.keys(FORMATS),
          describe: 'Format; else as --out ends, or parquet',
        },
        out: { type: 'string', describe: 'File to write, for DIR/exports/NAME.FORMAT' },
        force: { type: 'boolean', default: false, describe: 'Replace files that are there' },
        'raw-text': {
          type: 'boolean',
          default: false,
          describe: 'CSV: keep text that a spreadsheet would run as a formula',
        },
        timeout: { type: 'string', default: '3600', describe: 'Seconds at most' },
      })
      .example('$0 export address_activity', 'a view, as Parquet under DIR/exports')
      .example('$0 export transactions blocks --format csv', 'several views, for spreadsheets')
      .example('$0 export --sql "SELECT ..." --out fees.arrow', 'an answer, as Arrow IPC')
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
}

/** `windrow export`: views or an answer, as files. Ctrl-C leaves none that is not whole. */
export async function exportVerb(given: ExportArguments, output: Console): Promise<ExitCode> {
  const seconds = wholeNumber('--timeout', given.timeout, 1, 86_400);
  const format = formatFor(given);
  // The packages behind it are large, and no other verb needs them.
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
    const write = (): Promise<Exported[]> => exportFiles(job);
    const exported = await withReadyWarehouse(given.data, output, write).catch((error: unknown) => {
      throw withAdvice(error, given.data);
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
    throw new Fault('usage', 'Nothing is named to export.', {
      advice: 'Name a view (windrow describe lists them), or give --sql "SELECT ...".',
    });
  }
  if (out === undefined) return wanted;
  if (wanted.length > 1) {
    throw new Fault('usage', `--out is one file, and ${wanted.length} are to be written.`, {
      advice: 'Leave it out: they go to the folder exports of the data root.',
    });
  }
  return [{ ...first, file: out }];
}

/** Folders are for --out to name. */
function fileName(name: string): string {
  if (/^[\w-][\w.-]*$/.test(name)) return name;
  throw new Fault('usage', `--name is no plain name (${JSON.stringify(name)}).`, {
    advice: 'Use letters, digits, dots, - and _; say with --out FILE where else it should go.',
  });
}

function formatFor({ format, out }: ExportArguments): Format {
  if (format !== undefined) return format as Format;
  if (out === undefined) return 'parquet';
  const found = formatOf(out);
  if (found !== undefined) return found;
  throw new Fault('usage', `The name of the file does not tell its format (${out}).`, {
    advice: `Give --format, or end it with one of .${Object.values(FORMATS).join(', .')}.`,
  });
}

function lineOf({ name, file, rows, bytes, sha256, seconds }: Exported): string {
  const place = relative('', file);
  return (
    `${name}: ${many(rows, 'row')} in ${place.startsWith('..') ? file : place}, ` +
    `${counted(bytes)} bytes, ${seconds.toFixed(1)} s, sha256 ${sha256}`
  );
}
