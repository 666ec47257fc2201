import { dirname, normalize, resolve } from 'node:path';
import { Fault } from '../fault.ts';
import { jsonIn } from '../json-in.ts';
import { isAddress } from '../land/places/address.ts';
import { isMounted } from '../land/places/mounts.ts';
import { machineDisk } from '../land/storage/disk.ts';
import { refusedWrite, systemFault } from '../land/storage/disk-fault.ts';
import { layout } from '../land/storage/layout.ts';
import type { ExitCode } from '../run/shell/run-document.ts';
import type { Console } from './terminal/console.ts';
import { data, type LogArguments, type VerbOptions } from './terminal/options.ts';
import { printResult, type VerbOf, type VerbResult } from './terminal/verb-result.ts';
import { verbIn } from './usage-fault.ts';

/**
 * A server has a log of its own. Results of work are reports, which --quiet shows only where it
 * ends badly.
 */
type Role = 'answer' | 'work' | 'server';

export interface Verb {
  /** The verb with its positional arguments, as yargs declares them. */
  readonly command: string;
  readonly summary: string;
  readonly role: Role;
  /** A verb loads its module on use: loading all verbs takes half the time of a short one. */
  readonly load: () => Promise<
    readonly [VerbOptions, (input: never, output: Console) => Promise<VerbResult>]
  >;
}

/** Verbs by task, in the order of `windrow --help`. */
export type VerbTable = Readonly<Record<string, readonly Verb[]>>;

function verbOf(role: Role) {
  return <V extends VerbOptions>(
    command: string,
    summary: string,
    load: () => Promise<readonly [V, VerbOf<V>]>,
  ): Verb => ({ command, summary, role, load });
}

export const verb = verbOf('answer');
export const work = verbOf('work');
export const server = verbOf('server');

/** Runs a verb with the arguments that the parser has read, and returns its exit code. */
export async function callVerb(
  { command, role, load }: Verb,
  input: object,
  output: Console,
): Promise<ExitCode> {
  checkPaths(input);
  await mountData(input, output);
  const [, run] = await load();
  // The parser has read the values that the table of the verb declares.
  const values = input as never;
  if (role === 'server') return printResult(run(values, output), output);
  const shared: LogArguments & { readonly data?: string } = input;
  output.log?.configure(shared, verbIn(command));
  const { data: root = data.default } = shared;
  if (role === 'work') output.log?.work();
  const shown = { ...output, root, pipeline: await pipelineOf(input, root) };
  let exitCode: ExitCode = 1;
  try {
    exitCode = await printResult(run(values, shown), shown);
    return exitCode;
  } catch (thrown) {
    const error = (await refusedWrite(thrown)) ?? systemFault(thrown);
    throw error instanceof Fault ? error.at(shown) : error;
  } finally {
    // Results that were held back are printed where the verb fails, too.
    output.log?.settle(exitCode);
  }
}

/** The pipeline of the command line, else that of the newest run on a disk of this machine. */
async function pipelineOf(
  { pipeline }: { readonly pipeline?: unknown },
  root: string,
): Promise<string | undefined> {
  if (typeof pipeline === 'string' || isMounted(root)) return pipeline as string | undefined;
  const report = jsonIn(await machineDisk.read(layout(root).lastReport).catch(() => ''));
  const file = (report as { readonly pipelineFile?: unknown } | undefined)?.pipelineFile;
  return typeof file === 'string' ? file : undefined;
}

/** Lets a local folder stand for a data root in an object store, from here on. */
async function mountData(
  input: { data?: unknown; pipeline?: unknown },
  output: Console,
): Promise<void> {
  if (typeof input.data !== 'string' || !isAddress(input.data)) return;
  const { mountRoot } = await import('../land/places/mount-root.ts');
  const { readPipeline } = await import('../run/job/pipeline-file.ts');
  const { effects } = output;
  const file = typeof input.pipeline === 'string' ? input.pipeline : undefined;
  const { dir, gigabytes } = file === undefined ? {} : (await readPipeline(file)).cache;
  const folder = dir && resolve(dirname(file ?? ''), dir);
  input.data = mountRoot(input.data, { dir: folder, gigabytes }, process.env, machineDisk, effects);
}

/**
 * Throws a usage fault for paths that the shell or DuckDB would read as another place. DuckDB opens
 * the files of the data root, and takes some names for patterns or for columns.
 */
export function checkPaths(input: object): void {
  for (const option of ['data', 'out'] as const) {
    const path: unknown = option in input ? (input as Record<string, unknown>)[option] : undefined;
    if (typeof path !== 'string' || (option === 'data' && isAddress(path))) continue;
    const wrong = /^[a-z][\w+.-]+:/i.exec(path)?.[0];
    if (wrong !== undefined) {
      throw refusal(option, path, `begins with ${wrong} and is not a path on this machine`);
    }
    if (normalize(path).startsWith('~')) {
      throw refusal(option, path, 'begins with ~, which the shell did not replace');
    }
    if (option !== 'data') continue;
    const place = resolve(path);
    const [character] = /[*?[]|\p{Cc}/u.exec(place) ?? [];
    if (character !== undefined) {
      const shown = JSON.stringify(character);
      throw refusal(option, place, `has the character ${shown}, which is a pattern for DuckDB`);
    }
    const [folder] = /[^/]+=[^/]*/.exec(place) ?? [];
    if (folder !== undefined) {
      throw refusal(option, place, `has the folder ${folder}, which is a column for DuckDB`);
    }
  }
}

function refusal(option: string, path: string, reason: string): Fault {
  const advice =
    option === 'data'
      ? 'Name a folder of this machine, with its whole path: --data /srv/lake.'
      : 'Name a file of this machine, with its whole path: --out /srv/rows.csv.';
  return new Fault('usage', `The path of --${option} ${reason}.`, { where: path, advice });
}
