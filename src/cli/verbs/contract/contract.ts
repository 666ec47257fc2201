import { Fault } from '../../../fault.ts';
import { chainsIn, withLake } from '../../../land/lake.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { needLake } from '../../../run/lake/lake-there.ts';
import { SubmissionTable, type SubmittedRow } from '../../../run/submit/submission-table.ts';
import { systemEffects } from '../../../system.ts';
import type { Console } from '../../terminal/console.ts';
import {
  type Arguments,
  choice,
  data,
  limits,
  needed,
  overrides,
  rest,
  textOption,
  toggle,
} from '../../terminal/options.ts';
import type { VerbResult } from '../../terminal/verb-result.ts';
import type { OpenCompiler } from './local-compiler.ts';
import { submissionDocument, submissionLines } from './submission-text.ts';
import { submitVerb } from './submit-verb.ts';

const ACTIONS = ['submit', 'list'] as const;

export const contractOptions = {
  options: {
    action: needed(
      choice(
        'submit sends sources for verification; list shows them, and what to do next',
        ACTIONS,
      ),
    ),
    files: rest('YAML files of submissions, or build-info files of Hardhat or Foundry'),
    data,
    sourceUrl: overrides.sourceUrl,
    maxWait: overrides.maxWait,
    maxRequests: limits.maxRequests,
    pipeline: textOption('The pipeline file with the service; its contracts are the default files'),
    contract: textOption('Name or path:Name of the contract in the file'),
    address: textOption('Address of the contract in the file'),
    again: toggle('Send submissions again that are unknown or failed'),
    wait: textOption('Longest time to wait for the results of the jobs', '5m'),
    dryRun: toggle('Check the files and send nothing'),
  },
  examples: {
    '$0 contract submit a.yaml --pipeline my.yaml': 'submit one contract',
    '$0 contract list': 'submissions, their states and their next steps',
  },
};

export type ContractArguments = Arguments<typeof contractOptions>;

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
  const effects = systemEffects('warn');
  await needLake(root, effects);
  const rows: SubmittedRow[] = [];
  for (const chains of await chainsIn(root, localDisk)) {
    await withLake({ root, chains, run: 'contract-list', effects }, async (lake) => {
      rows.push(...(await SubmissionTable.open(lake)).rows);
    });
  }
  const document = { data: root, submissions: rows.map(submissionDocument) };
  return { document, lines: () => submissionLines(root, rows), exitCode: 0 };
}
