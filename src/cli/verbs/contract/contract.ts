import { basename, dirname, join, resolve } from 'node:path';
import type { Effects } from '../../../effects.ts';
import { type Advice, Fault } from '../../../fault.ts';
import { readHead } from '../../../fetch/chain/heads.ts';
import { RequestLimits } from '../../../fetch/limits/request-limits.ts';
import { markRoot } from '../../../land/data-root.ts';
import { chainsIn, withLake } from '../../../land/lake.ts';
import { localDisk } from '../../../land/storage/disk.ts';
import { removeStaging } from '../../../land/storage/staging.ts';
import { publishWarehouse } from '../../../load/warehouse.ts';
import { parseDuration } from '../../../pipeline/syntax/duration.ts';
import { answerOf } from '../../../run/interruption.ts';
import type { OpenJob } from '../../../run/job/open-job.ts';
import { type LoadedPipeline, loadPipeline } from '../../../run/job/pipeline-file.ts';
import { readText } from '../../../run/job/text-file.ts';
import { windrowVersion } from '../../../run/job/version.ts';
import { needLake } from '../../../run/lake/lake-there.ts';
import { withLock } from '../../../run/lock-of.ts';
import { onSource } from '../../../run/shell/run-shell.ts';
import { type ContractSubmission, readSubmission } from '../../../run/submit/read-submission.ts';
import { SubmissionTable, type SubmittedRow } from '../../../run/submit/submission-table.ts';
import { awaitResults, settleEnded, submit } from '../../../run/submit/submit.ts';
import { shellOptions } from '../../job/console-surroundings.ts';
import { stoppingOnSignals } from '../../job/stop-signals.ts';
import { type Console, many } from '../../terminal/console.ts';
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
import { print, type VerbResult } from '../../terminal/verb-result.ts';
import type { LocalCompiler, OpenCompiler } from './local-compiler.ts';
import { submissionDocument, submissionLines, submittedLine } from './submission-text.ts';

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

type ContractArguments = Arguments<typeof contractOptions>;

/** `windrow contract`: submits contract sources for verification, and lists submissions. */
export async function runContract(
  input: ContractArguments,
  output: Console,
  openCompiler: OpenCompiler,
): Promise<VerbResult> {
  if (input.action === 'list') return listVerb(input, output);
  output.log?.work();
  return submitVerb(input, output, openCompiler);
}

async function listVerb(
  { files, data: root }: ContractArguments,
  output: Console,
): Promise<VerbResult> {
  if (files.length > 0) {
    throw new Fault('usage', 'contract list takes no files.', { advice: 'Leave them out.' });
  }
  const { effects } = output;
  await needLake(root, effects);
  const rows: SubmittedRow[] = [];
  for (const chains of await chainsIn(root, localDisk)) {
    await withLake({ root, chains, run: 'contract-list', effects }, async (lake) => {
      rows.push(...(await SubmissionTable.open(lake)).rows);
    });
  }
  const document = { data: root, submissions: rows.map(submissionDocument) };
  return { document, lines: submissionLines(root, rows), exitCode: 0 };
}

const SUBMISSION_FILE = {
  noun: 'submission',
  advice: 'Give the path of a YAML file with the values of the submission.',
  name: /\.ya?ml$/,
};
const SOURCE_FILE = {
  noun: 'file of the submission',
  advice: 'Name it by its path from the folder of the submission.',
  name: /\.(sol|vy|json)$/,
};

/** `windrow contract submit`: checks every file, then sends each submission and reads results. */
async function submitVerb(
  input: ContractArguments,
  output: Console,
  openCompiler: OpenCompiler,
): Promise<VerbResult> {
  const waitMs = parseDuration(input.wait, '--wait');
  if (input.pipeline === undefined) {
    throw new Fault('usage', 'contract submit needs a pipeline.', {
      advice: 'Name the pipeline file with the service: --pipeline my.yaml.',
    });
  }
  const loaded = await loadPipeline(input.pipeline, input);
  const submissions = await submissionsOf(input, loaded);
  const shell = shellOptions(loaded, input.data, output);
  const { effects } = shell;
  const compiler = await openCompiler(effects);
  if (input.dryRun) {
    for (const submission of submissions) await warn(submission, compiler, output);
    compiler.close();
    const ready = submissions.map(({ file, digest }) => ({ file, digest }));
    const lines = [`${many(submissions.length, 'submission')} can be sent.`];
    return { document: { data: input.data, ready, exitCode: 0 }, lines, exitCode: 0 };
  }
  const requestLimits = new RequestLimits(loaded.pipeline.limits);
  const options = { ...input, waitMs, submissions, loaded, effects, compiler };
  try {
    return await stoppingOnSignals(output, loaded.pipeline, (stops) =>
      onSource({ ...shell, limits: requestLimits }, async (job) => {
        const signals = stops();
        await markRoot(input.data, windrowVersion(), localDisk);
        const locked = { ...job, ...signals, pipeline: loaded.pipeline, disk: localDisk, effects };
        return withLock(locked, () => sendAll(job, options, signals.softStop, output));
      }),
    );
  } finally {
    requestLimits.close();
    compiler.close();
  }
}

/** Warns of a source that does not compile here. */
async function warn(
  submission: ContractSubmission,
  compiler: LocalCompiler,
  output: Console,
): Promise<void> {
  const warning = await compiler.warning(submission);
  if (warning !== undefined) output.note(`${submission.file}: ${warning}`, 'warn');
}

interface SendOptions extends Pick<ContractArguments, 'data' | 'again'> {
  readonly waitMs: number;
  readonly submissions: readonly ContractSubmission[];
  readonly loaded: LoadedPipeline;
  readonly effects: Effects;
  readonly compiler: LocalCompiler;
}

async function sendAll(
  { lake, connection }: OpenJob,
  { data, again, waitMs, submissions, loaded, effects, compiler }: SendOptions,
  signal: AbortSignal,
  output: Console,
): Promise<VerbResult> {
  const { source } = loaded.pipeline;
  const { caller } = connection;
  const table = await SubmissionTable.open(lake);
  const sending = { table, caller, chain: source.chain, effects, signal };
  const ids: string[] = [];
  const work = async (): Promise<void> => {
    await settleEnded(sending);
    const { head } = await readHead(caller, 'primary', source, signal);
    for (const submission of submissions) {
      const options = { asOfBlock: head, isAgain: again };
      if (!table.has(submission)) await warn(submission, compiler, output);
      const { row } = await submit(sending, submission, options);
      ids.push(row.id);
      print({ lines: [submittedLine(submission.file, row)] }, output);
    }
    await awaitResults(sending, waitMs);
  };
  try {
    await answerOf({ softStop: signal }, work());
  } finally {
    await publishWarehouse({ lake, effects, disk: localDisk, ifMoved: true });
    await removeStaging(lake.layout, lake.run, localDisk);
  }
  const rows = table.rows.filter(({ id }) => ids.includes(id));
  // A submission is unknown or failed.
  const isOpen = rows.some(({ state }) => state === 'unknown' || state === 'failed');
  const exitCode = isOpen ? 3 : 0;
  const document = { data, submissions: rows.map(submissionDocument), exitCode };
  return { document, lines: [summary(rows)], exitCode };
}

function summary(rows: readonly SubmittedRow[]): Advice {
  const states = new Map<string, number>();
  for (const { state } of rows) states.set(state, (states.get(state) ?? 0) + 1);
  const counts = [...states].map(([state, count]) => `${count} ${state}`).join(', ');
  const text = `${many(rows.length, 'submission')}: ${counts}.`;
  return { text, command: 'windrow contract list' };
}

/** Reads the named files, or those of the pipeline. Throws Fault('usage') where there are none. */
async function submissionsOf(
  input: ContractArguments,
  { pipeline, resolve: inFolder }: LoadedPipeline,
): Promise<ContractSubmission[]> {
  const { files: named, contract, address } = input;
  const pattern = pipeline.contracts?.submissions;
  const files =
    named.length > 0 || pattern === undefined ? named : await matchingFiles(inFolder(pattern));
  if (files.length === 0) {
    throw new Fault('usage', 'There is no submission.', {
      ...(pattern === undefined ? {} : { where: inFolder(pattern) }),
      advice: 'Name files, or set contracts: { submissions: contracts/*.yaml } in the pipeline.',
    });
  }
  if (files.length > 1 && (contract ?? address) !== undefined) {
    throw new Fault('usage', '--contract and --address are values of one file.', {
      advice: 'Name one file, or write them into the YAML files.',
    });
  }
  const submissions: ContractSubmission[] = [];
  for (const file of files) {
    const folder = dirname(resolve(file));
    const read = (path: string): Promise<string> => readText(resolve(folder, path), SOURCE_FILE);
    const text = await readText(file, SUBMISSION_FILE);
    const names = { contractName: contract, contractAddress: address };
    const options = { chain: pipeline.source.chain, ...names, read };
    submissions.push(await readSubmission({ text, file }, options));
  }
  return submissions;
}

/** The files that a path names, whose last part may have `*` for any text; in order. */
async function matchingFiles(path: string): Promise<string[]> {
  if (!basename(path).includes('*')) return [path];
  const parts = basename(path).split('*');
  const escaped = parts.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&'));
  const pattern = new RegExp(`^${escaped.join('.*')}$`);
  const names = await localDisk.list(dirname(path)).catch((): string[] => []);
  return names
    .filter((name) => pattern.test(name))
    .sort()
    .map((name) => join(dirname(path), name));
}
