import { dirname, join, relative, resolve } from 'node:path';
import { writeWhole } from '../../../export/destination.ts';
import { notebookJson, type Parameter } from '../../../export/notebook/notebook.ts';
import { runNotebook } from '../../../export/notebook/run-notebook.ts';
import { REQUIREMENTS, readTemplate } from '../../../export/notebook/template.ts';
import { Fault } from '../../../fault.ts';
import { ifThere, localDisk } from '../../../land/storage/disk.ts';
import { layout } from '../../../land/storage/layout.ts';
import { query } from '../../../load/query/query.ts';
import { ADDRESS } from '../../../pipeline/syntax/address.ts';
import { parseBlocks } from '../../../pipeline/syntax/block-range.ts';
import { wholeNumber } from '../../../pipeline/syntax/fields.ts';
import { withReadyWarehouse } from '../../../run/lake/with-warehouse.ts';
import { stoppedBySignals } from '../../job/stop-signals.ts';
import type { Console } from '../../terminal/console.ts';
import { type Arguments, data, needed, textOption, toggle } from '../../terminal/options.ts';
import type { VerbOf } from '../../terminal/verb-result.ts';

export const notebookOptions = {
  options: {
    template: needed(
      textOption(
        'address-report, token-flows, cross-chain-journeys, holders, data-quality, ' +
          'analyst-questions, auditor, preconfirmations or blank',
      ),
    ),
    data,
    out: textOption('File to write; default: TEMPLATE.ipynb'),
    address: textOption('Address; default: the followed one with most entries'),
    token: textOption('Token contract; default: the one with most transfers'),
    blocks: textOption('Blocks A:B of the primary chain, inclusive'),
    top: textOption('Number of holders to show', '25'),
    execute: toggle('Run all cells (needs Python)'),
    html: toggle('With --execute: also write one page'),
    force: toggle('Replace an existing file'),
  },
  examples: {
    '$0 notebook address-report --out report.ipynb': 'open it in Jupyter',
    '$0 notebook holders --execute --html': 'a page of charts to hand on',
  },
};

export type NotebookArguments = Arguments<typeof notebookOptions>;

/** `windrow notebook`: a runnable notebook over the warehouse; with --execute, its results. */
export const notebookVerb: VerbOf<typeof notebookOptions> = async (input, output) => {
  const file = resolve(input.out ?? `${input.template}.ipynb`);
  checkOptions(input, file);
  const template = readTemplate(input.template);
  const parameters = await parametersOf(input, template.parameters, output);
  const options = { layout: layout(input.data), disk: localDisk, mayReplace: input.force };
  await writeWhole(file, notebookJson(template, parameters), options);
  const requirements = await requirementsBeside(file);
  output.note(`Its packages: pip install -r ${requirements}`);
  const html = input.html ? file.replace(/\.ipynb$/, '.html') : undefined;
  if (input.execute) {
    const python = process.env['WINDROW_PYTHON'] ?? 'python3';
    const page = html === undefined ? {} : { html };
    await stoppedBySignals((stop) => {
      return runNotebook({ notebook: file, python, requirements, stop, ...page });
    });
  }
  const files = [file, ...(html === undefined ? [] : [html])].map((path) => relative('', path));
  const document = { template: input.template, parameters, files };
  return { document, lines: [`Written: ${files.join(', ')}`], exitCode: 0 };
};

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
  input: NotebookArguments,
  names: readonly string[],
  output: Console,
): Promise<Record<string, Parameter>> {
  // Also without an address: a notebook over a lake that is not there would fail in its first cell.
  const { rows, warehouse } = await withReadyWarehouse(
    input.data,
    output,
    async ({ warehouse: file, root }) => {
      return { ...(await query(file, BUSIEST, { root })), warehouse: file };
    },
  );
  const blocks = input.blocks === undefined ? undefined : parseBlocks(input.blocks);
  if (blocks !== undefined && blocks.from < 0) {
    throw new Fault('usage', `--blocks of a notebook is not relative (${input.blocks}).`, {
      advice: 'Give heights, as in 16M:17M.',
    });
  }
  const last = blocks?.to;
  const all: Record<string, Parameter> = {
    warehouse: resolve(warehouse),
    address: input.address?.toLowerCase() ?? String(rows[0]?.['address'] ?? `0x${'0'.repeat(40)}`),
    token: input.token?.toLowerCase() ?? null,
    first_block: blocks?.from ?? null,
    last_block: typeof last === 'number' ? last : null,
    top: wholeNumber('--top', input.top, 1, 10_000),
  };
  const used = ['warehouse', ...names];
  return Object.fromEntries(Object.entries(all).filter(([name]) => used.includes(name)));
}

const BUSIEST = `
  SELECT address FROM address_activity
  GROUP BY address ORDER BY bool_or(followed) DESC, count(*) DESC, address LIMIT 1`;

/**
 * The path of the requirements file: the one beside the notebook, which is written unless another
 * file is there; otherwise that of the package.
 */
async function requirementsBeside(file: string): Promise<string> {
  const path = join(dirname(file), 'requirements.txt');
  const packages = await localDisk.read(REQUIREMENTS);
  const text = await ifThere(localDisk.read(path));
  if (text === undefined) await localDisk.put(path, packages);
  return text === undefined || text === packages ? relative('', path) : REQUIREMENTS;
}
