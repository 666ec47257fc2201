import { dirname, join, relative, resolve } from 'node:path';
import type { Argv } from 'yargs';
import { destination, publish } from '../../../export/destination.ts';
import { notebookJson, type Parameter } from '../../../export/notebook/notebook.ts';
import { runNotebook } from '../../../export/notebook/run-notebook.ts';
import { readTemplate, requirementsText } from '../../../export/notebook/template.ts';
import { Fault } from '../../../fault.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { layout } from '../../../land/storage/layout.ts';
import { query } from '../../../load/query/query.ts';
import { ADDRESS } from '../../../pipeline/syntax/address.ts';
import { parseBlocks } from '../../../pipeline/syntax/block-range.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import { withReadyWarehouse } from '../../../run/lake/with-warehouse.ts';
import { STOP_SIGNALS } from '../../../system.ts';
import { surroundingsOf } from '../../job/console-surroundings.ts';
import type { Console } from '../../terminal/console.ts';
import { data, withExitCodes } from '../../terminal/options.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';

export function notebookOptions(args: Argv) {
  return withExitCodes(args)
    .positional('template', {
      type: 'string',
      demandOption: true,
      describe:
        'address-report, token-flows, cross-chain-journeys, holders, data-quality, ' +
        'analyst-questions, preconfirmations or blank',
    })
    .options({
      data,
      out: { type: 'string', describe: 'File to write; default: TEMPLATE.ipynb' },
      address: { type: 'string', describe: 'Address; default: the followed one with most entries' },
      token: { type: 'string', describe: 'Token contract; default: the one with most transfers' },
      blocks: { type: 'string', describe: 'Blocks A:B of the primary chain, inclusive' },
      top: { type: 'string', default: '25', describe: 'Number of holders to show' },
      execute: { type: 'boolean', default: false, describe: 'Run all cells (needs Python)' },
      html: { type: 'boolean', default: false, describe: 'With --execute: also write one page' },
      force: { type: 'boolean', default: false, describe: 'Replace an existing file' },
    })
    .example('$0 notebook address-report --out report.ipynb', 'open it in Jupyter')
    .example('$0 notebook holders --execute --html', 'a page of charts to hand on');
}

export interface NotebookArguments {
  readonly template: string;
  readonly data: string;
  readonly out?: string | undefined;
  readonly address?: string | undefined;
  readonly token?: string | undefined;
  readonly blocks?: string | undefined;
  readonly top: string;
  readonly execute: boolean;
  readonly html: boolean;
  readonly force: boolean;
}

/** `windrow notebook`: a runnable notebook over the warehouse; with --execute, its results. */
export async function notebookVerb(given: NotebookArguments, output: Console): Promise<VerbResult> {
  const file = resolve(given.out ?? `${given.template}.ipynb`);
  checkOptions(given, file);
  const template = readTemplate(given.template);
  const parameters = await parametersOf(given, template.parameters, output);
  await writeWhole(file, notebookJson(template, parameters), given);
  const requirements = await requirementsBeside(file);
  output.note(`Its packages: pip install -r ${requirements}`);
  const html = given.html ? file.replace(/\.ipynb$/, '.html') : undefined;
  if (given.execute) {
    const stopping = new AbortController();
    const stop = (): void => stopping.abort(new Error('interrupted'));
    for (const signal of STOP_SIGNALS) process.once(signal, stop);
    const python = process.env['WINDROW_PYTHON'] ?? 'python3';
    const page = html === undefined ? {} : { html };
    await runNotebook({
      notebook: file,
      python,
      requirements,
      stop: stopping.signal,
      ...page,
    }).finally(() => {
      for (const signal of STOP_SIGNALS) process.off(signal, stop);
    });
  }
  const files = [file, ...(html === undefined ? [] : [html])].map((each) => relative('', each));
  const document = { template: given.template, parameters, files };
  return { document, lines: [`Written: ${files.join(', ')}`], exitCode: 0 };
}

function checkOptions({ html, execute, address, token }: NotebookArguments, file: string): void {
  if (html && !execute) {
    throw new Fault('usage', '--html shows the results of a run.', { advice: 'Add --execute.' });
  }
  if (!file.endsWith('.ipynb')) {
    throw new Fault('usage', `A notebook is a file .ipynb (${file}).`, {
      advice: 'Give --out NAME.ipynb; with --html, the page lies beside it.',
    });
  }
  for (const [option, value] of [
    ['--address', address],
    ['--token', token],
  ] as const) {
    if (value === undefined || ADDRESS.test(value.toLowerCase())) continue;
    throw new Fault('usage', `${option} is not an address (${JSON.stringify(value)}).`, {
      advice: 'An address is 0x and 40 hexadecimal digits.',
    });
  }
}

async function parametersOf(
  given: NotebookArguments,
  names: readonly string[],
  output: Console,
): Promise<Record<string, Parameter>> {
  // Also without an address: a notebook over a lake that is not there would fail in its first cell.
  const { rows, warehouse } = await withReadyWarehouse(
    given.data,
    surroundingsOf(output),
    async (paths) => ({
      ...(await query(paths.warehouse, BUSIEST, { root: paths.root })),
      warehouse: paths.warehouse,
    }),
  );
  const blocks = given.blocks === undefined ? undefined : parseBlocks(given.blocks);
  if (blocks !== undefined && blocks.from < 0) {
    throw new Fault('usage', `--blocks of a notebook is not relative (${given.blocks}).`, {
      advice: 'Give heights, as in 16M:17M.',
    });
  }
  const last = blocks?.to;
  const all: Record<string, Parameter> = {
    warehouse: resolve(warehouse),
    address: given.address?.toLowerCase() ?? String(rows[0]?.['address'] ?? `0x${'0'.repeat(40)}`),
    token: given.token?.toLowerCase() ?? null,
    first_block: blocks?.from ?? null,
    last_block: typeof last === 'number' ? last : null,
    top: wholeNumber('--top', given.top, 1, 10_000),
  };
  const used = ['warehouse', ...names];
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.includes(name)));
}

const BUSIEST = `
  SELECT address FROM address_activity
  GROUP BY address ORDER BY bool_or(followed) DESC, count(*) DESC, address LIMIT 1`;

async function writeWhole(
  file: string,
  text: string,
  { data: root, force }: NotebookArguments,
): Promise<void> {
  const options = { layout: layout(root), disk: localDisk, mayReplace: force };
  const place = await destination(file, options);
  try {
    await localDisk.write(place.making, text);
    await publish(place, localDisk);
  } finally {
    await localDisk.remove(place.making);
  }
}

/** The requirements file beside a notebook, written unless one is there; returns its path. */
async function requirementsBeside(file: string): Promise<string> {
  const path = join(dirname(file), 'requirements.txt');
  if ((await localDisk.stat(path)) === undefined) await localDisk.put(path, requirementsText());
  return relative('', path);
}
