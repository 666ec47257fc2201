import { dataOption, Fault } from '../fault.ts';
import type { ExitCode } from '../run/shell/run-document.ts';
import { checkPaths } from './local-paths.ts';
import { rootFault } from './root-fault.ts';
import type { Console } from './terminal/console.ts';
import { type Arguments, data, type LogArguments, type VerbOptions } from './terminal/options.ts';
import { printResult, type VerbResult } from './terminal/verb-result.ts';
import { verbIn } from './usage-fault.ts';

/**
 * A server has a log of its own. Results of work are reports, which --quiet shows only where it
 * ends badly.
 */
type Role = 'answer' | 'work' | 'server';

type VerbFunction<T> = (given: T, output: Console) => Promise<VerbResult>;

export interface Verb {
  /** The verb with its positional arguments, as yargs declares them. */
  readonly command: string;
  readonly summary: string;
  readonly role: Role;
  /** A verb loads its module on use: loading all verbs takes half the time of a short one. */
  readonly load: () => Promise<readonly [VerbOptions, VerbFunction<never>]>;
}

/** Verbs by task, in the order of `windrow --help`. */
export type VerbTable = Readonly<Record<string, readonly Verb[]>>;

function verbOf(role: Role) {
  return <V extends VerbOptions>(
    command: string,
    summary: string,
    load: () => Promise<readonly [V, VerbFunction<Arguments<V> & LogArguments>]>,
  ): Verb => ({ command, summary, role, load });
}

export const verb = verbOf('answer');
export const work = verbOf('work');
export const server = verbOf('server');

/** Runs a verb with the arguments that the parser has read, and returns its exit code. */
export async function callVerb(
  { command, role, load }: Verb,
  given: object,
  output: Console,
): Promise<ExitCode> {
  checkPaths(given);
  const [, run] = await load();
  // The parser has read the values that the table of the verb declares.
  const values = given as never;
  if (role === 'server') return printResult(run(values, output), output);
  const shared: LogArguments & { readonly data?: string } = given;
  await output.log?.configure(shared, verbIn(command));
  const { data: root = data.default } = shared;
  if (role === 'work') output.log?.work();
  const shown = {
    ...output,
    root,
    get isTerminal() {
      return output.isTerminal;
    },
  };
  let exitCode: ExitCode = 1;
  try {
    exitCode = await printResult(run(values, shown), shown);
    return exitCode;
  } catch (thrown) {
    const error = await rootFault(thrown, root);
    throw error instanceof Fault ? error.withOption(dataOption(root)) : error;
  } finally {
    // Results that were held back are printed where the verb fails, too.
    output.log?.settle(exitCode);
  }
}
