import type { Argv } from 'yargs';
import { Fault } from '../../../fault.ts';
import type { SubmissionTable, SubmittedRow } from '../../../run/submit/submission-table.ts';
import type { Console } from '../../terminal/console.ts';
import { data, limits, overrides, withExitCodes } from '../../terminal/options.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';
import type { OpenCompiler } from './local-compiler.ts';
import { eachSubmissionTable } from './submission-tables.ts';
import { submissionDocument, submissionLines } from './submission-text.ts';
import { type SubmitArguments, submitVerb } from './submit-verb.ts';

const ACTIONS = ['submit', 'list'] as const;

export function contractOptions(args: Argv) {
  return withExitCodes(args)
    .positional('action', {
      choices: ACTIONS,
      demandOption: true,
      describe: 'submit sends sources for verification; list shows them, and what to do next',
    })
    .positional('files', {
      type: 'string',
      array: true,
      default: [] as string[],
      describe: 'YAML files of submissions, or build-info files of Hardhat or Foundry',
    })
    .options({
      data,
      'source-url': overrides['source-url'],
      'max-wait': overrides['max-wait'],
      'max-requests': limits['max-requests'],
      pipeline: {
        type: 'string',
        describe: 'The pipeline file with the service; its contracts are the default files',
      },
      contract: { type: 'string', describe: 'Name or path:Name of the contract in the file' },
      address: { type: 'string', describe: 'Address of the contract in the file' },
      again: {
        type: 'boolean',
        default: false,
        describe: 'Send submissions again that are unknown or failed',
      },
      wait: {
        type: 'string',
        default: '5m',
        describe: 'Longest time to wait for the results of the jobs',
      },
      'dry-run': {
        type: 'boolean',
        default: false,
        describe: 'Check the files and send nothing',
      },
    })
    .example('$0 contract submit contracts/barn.yaml --pipeline my.yaml', 'submit one contract')
    .example('$0 contract list', 'submissions, their states and their next steps');
}

export interface ContractArguments extends SubmitArguments {
  readonly action: (typeof ACTIONS)[number];
}

/** `windrow contract`: submits contract sources for verification, and lists submissions. */
export async function runContract(
  given: ContractArguments,
  output: Console,
  openCompiler: OpenCompiler,
): Promise<VerbResult> {
  if (given.action === 'list') return listVerb(given);
  output.log?.work();
  return submitVerb(given, output, openCompiler);
}

async function listVerb({ files, data: root }: ContractArguments): Promise<VerbResult> {
  if (files.length > 0) {
    throw new Fault('usage', 'contract list takes no files.', { advice: 'Leave them out.' });
  }
  const rows: SubmittedRow[] = [];
  await eachSubmissionTable(root, async (table: SubmissionTable) => {
    rows.push(...table.rows);
  });
  const document = { data: root, submissions: rows.map(submissionDocument) };
  return { document, lines: () => submissionLines(root, rows), exitCode: 0 };
}
