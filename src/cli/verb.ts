import type { ArgumentsCamelCase, Argv } from 'yargs';
import { dataOption, Fault } from '../fault.ts';
import type { ExitCode } from '../run/shell/run-document.ts';
import { checkPaths } from './local-paths.ts';
import { rootFault } from './root-fault.ts';
import type { Console } from './terminal/console.ts';
import { data, logArguments, logOptions } from './terminal/options.ts';
import { printResult, type VerbResult } from './terminal/verb-result.ts';

interface VerbModule<T> {
  readonly options: (args: Argv) => Argv<T>;
  readonly run: (given: ArgumentsCamelCase<NoInfer<T>>, output: Console) => Promise<VerbResult>;
}

export interface Verb {
  /** The verb with its positional arguments, as yargs declares them. */
  readonly command: string;
  readonly summary: string;
  /** Adds the verb to a parser; `end` takes the exit code once the verb has run. */
  readonly add: (parser: Argv, output: Console, end: (code: ExitCode) => void) => Argv;
}

/** Verbs by task, in the order of `windrow --help`. */
export type VerbTable = Readonly<Record<string, readonly Verb[]>>;

/** A verb loads its module on use: loading all verbs takes half the time of a short one. */
export function verb<T>(
  command: string,
  summary: string,
  load: () => Promise<VerbModule<T>>,
  isWork = false,
): Verb {
  const add: Verb['add'] = (parser, output, end) =>
    parser.command(
      command,
      summary,
      async (args) => {
        const taken = (await load()).options(args);
        // The parser is the same object, with more options.
        taken.options(logOptions);
        return withValues(taken, command);
      },
      async (given) => {
        checkPaths(given);
        const { run } = await load();
        await output.log?.configure(logArguments(given), command.replace(/ .*$/, ''));
        const { data: root = data.default } = given as { readonly data?: string };
        if (isWork) output.log?.work();
        const shown = {
          ...output,
          root,
          get isTerminal() {
            return output.isTerminal;
          },
        };
        let exitCode: ExitCode = 1;
        try {
          exitCode = await printResult(run(given, shown), shown);
          end(exitCode);
        } catch (thrown) {
          const error = await rootFault(thrown, root);
          throw error instanceof Fault ? error.withOption(dataOption(root)) : error;
        } finally {
          // Results that were held back are printed where the verb fails, too.
          output.log?.settle(exitCode);
        }
      },
    );
  return { command, summary, add };
}

/** A verb whose results are reports of its work: --quiet shows them only where it ends badly. */
export function work<T>(
  command: string,
  summary: string,
  load: () => Promise<VerbModule<T>>,
): Verb {
  return verb(command, summary, load, true);
}

/** A verb that serves, with a log of its own. */
export function server<T>(
  command: string,
  summary: string,
  load: () => Promise<VerbModule<T>>,
): Verb {
  const add: Verb['add'] = (parser, output, end) =>
    parser.command(
      command,
      summary,
      async (args) => withValues((await load()).options(args), command),
      async (given) => {
        checkPaths(given);
        end(await printResult((await load()).run(given, output), output));
      },
    );
  return { command, summary, add };
}

/** The parts of the parser's settings that are read here; its type leaves them out. */
interface ParserSettings {
  getOptions(): { readonly key: object; readonly boolean: readonly string[] };
}

/**
 * Every option that is no flag takes the next argument as its value, negative numbers included, and
 * is refused without one. Otherwise the parser takes `-1d` for options, and a missing value for ''.
 */
function withValues<T>(args: Argv<T>, command: string): Argv<T> {
  const { key, boolean } = (args as unknown as ParserSettings).getOptions();
  const positionals = [...command.matchAll(/[<[](\w+)/g)].map(([, name]) => name);
  const others = new Set([...boolean, ...positionals]);
  return args.requiresArg(Object.keys(key).filter((name) => !others.has(name)));
}
