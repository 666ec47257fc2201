import type { ArgumentsCamelCase, Argv } from 'yargs';
import type { ExitCode } from '../run/shell/run-document.ts';
import { adviceAt, notesAt, reportsAt } from './job/commands-at.ts';
import { checkPaths } from './local-paths.ts';
import { rootFault } from './root-fault.ts';
import type { Console } from './terminal/console.ts';
import { data, logArguments, logOptions } from './terminal/options.ts';

interface VerbModule<T> {
  readonly options: (args: Argv) => Argv<T>;
  readonly run: (given: ArgumentsCamelCase<NoInfer<T>>, output: Console) => Promise<ExitCode>;
}

export interface Verb {
  /** The verb with its positional arguments, as yargs declares them. */
  readonly command: string;
  readonly summary: string;
  /** Adds the verb to a parser; `end` takes the exit code once the verb has run. */
  readonly add: (parser: Argv, output: Console, end: (code: ExitCode) => void) => Argv;
}

/** A verb loads its module on use: loading all verbs takes half the time of a short one. */
function verb<T>(command: string, summary: string, load: () => Promise<VerbModule<T>>): Verb {
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
        await output.log?.configure(logArguments(given), nameOf(command));
        await settled(output, async () => {
          const root = rootOf(given);
          const code = await run(given, notesAt(root, output)).catch(async (error: unknown) => {
            throw adviceAt(root, await rootFault(error, root));
          });
          end(code);
          return code;
        });
      },
    );
  return { command, summary, add };
}

/** A verb whose results are reports of its work: --quiet shows them only where it ends badly. */
function work<T>(command: string, summary: string, load: () => Promise<VerbModule<T>>): Verb {
  return verb(command, summary, async () => {
    const { options, run } = await load();
    return {
      options,
      run: (given, output) => {
        output.log?.work();
        return run(given, reportsAt(rootOf(given), output));
      },
    };
  });
}

/** A verb that serves, with a log of its own. */
function server<T>(command: string, summary: string, load: () => Promise<VerbModule<T>>): Verb {
  const add: Verb['add'] = (parser, output, end) =>
    parser.command(
      command,
      summary,
      async (args) => withValues((await load()).options(args), command),
      async (given) => {
        checkPaths(given);
        end(await (await load()).run(given, output));
      },
    );
  return { command, summary, add };
}

/** The data root of a command; the default one for a verb without a data root. */
function rootOf(given: object): string {
  return 'data' in given && typeof given.data === 'string' ? given.data : data.default;
}

/** Results that were held back are printed where the verb fails, too. */
async function settled(output: Console, run: () => Promise<ExitCode>): Promise<void> {
  let exitCode: ExitCode = 1;
  try {
    exitCode = await run();
  } finally {
    output.log?.settle(exitCode);
  }
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

/** The first word of a command: `run <pipeline>`. */
function nameOf(command: string): string {
  return command.replace(/ .*$/, '');
}

/** All verbs by task, in the order of `windrow --help`. */
export const VERBS: Readonly<Record<string, readonly Verb[]>> = {
  Start: [
    verb('init [folder]', 'Write a new pipeline and the files around it', async () => {
      const { initOptions: options, initVerb: run } = await import('./verbs/init/init.ts');
      return { options, run };
    }),
    work('doctor <pipeline>', 'Check everything that a run needs, with remedies', async () => {
      const { doctorOptions: options, doctorVerb: run } = await import('./verbs/doctor/doctor.ts');
      return { options, run };
    }),
    verb('demo', 'Export a simulated chain into data/demo and query it', async () => {
      const { demoOptions: options, demoVerb: run } = await import(
        '../../service/src/verb/demo.ts'
      );
      return { options, run };
    }),
    verb('describe [name]', 'Describe endpoints, datasets, views and macros', async () => {
      const { describeOptions: options, describeVerb: run } = await import('./verbs/describe.ts');
      return { options, run };
    }),
    verb('completion <shell>', 'Print a completion script for bash, zsh or fish', async () => {
      const { completionOptions: options, completionVerb: run } = await import(
        './verbs/completion.ts'
      );
      return { options, run };
    }),
    verb('version', 'Print the version', async () => {
      const { versionOptions: options, versionVerb: run } = await import('./verbs/version.ts');
      return { options, run };
    }),
  ],
  Export: [
    verb('plan <pipeline>', 'Print the requests of a run and their price', async () => {
      const { planOptions: options, planVerb: run } = await import('./verbs/plan.ts');
      return { options, run };
    }),
    work(
      'run <pipeline>',
      'Fetch missing blocks, write them to the lake and publish the warehouse',
      async () => {
        const { runOptions: options, runVerb: run } = await import('./verbs/run.ts');
        return { options, run };
      },
    ),
    work('follow <pipeline>', 'Keep the lake up with the head, in small commits', async () => {
      const { followOptions: options, followVerb: run } = await import('./verbs/follow/follow.ts');
      return { options, run };
    }),
    verb('contract <action> [files..]', 'Submit contract sources, or list them', async () => {
      const { contractOptions: options, contractVerb: run } = await import(
        './verbs/contract/contract.ts'
      );
      return { options, run };
    }),
    verb(
      'schedule <action> [pipeline]',
      'Print the schedule of a pipeline for cron, systemd and others, or run it in the foreground',
      async () => {
        const { scheduleOptions: options, scheduleVerb: run } = await import(
          './verbs/schedule/schedule.ts'
        );
        return { options, run };
      },
    ),
  ],
  Ask: [
    verb('query [sql]', 'Run one SELECT over the warehouse', async () => {
      const { queryOptions: options, queryVerb: run } = await import('./verbs/query/query.ts');
      return { options, run };
    }),
    verb('sql', 'Query the warehouse in an interactive shell', async () => {
      const { sqlOptions: options, sqlVerb: run } = await import('./verbs/query/sql.ts');
      return { options, run };
    }),
    verb('connect', 'Print how other programs open the warehouse and the lake', async () => {
      const { connectOptions: options, connectVerb: run } = await import('./verbs/connect.ts');
      return { options, run };
    }),
    work(
      'export [what..]',
      'Write views or query results as Parquet, CSV, XLSX, JSON Lines or Arrow files',
      async () => {
        const { exportOptions: options, exportVerb: run } = await import('./verbs/export.ts');
        return { options, run };
      },
    ),
    work(
      'notebook <template>',
      'Write a notebook of charts over the warehouse; --execute runs it',
      async () => {
        const { notebookOptions: options, notebookVerb: run } = await import(
          './verbs/notebook/notebook.ts'
        );
        return { options, run };
      },
    ),
    work('report [run]', 'Write one page of HTML about a run and the lake', async () => {
      const { reportOptions: options, reportVerb: run } = await import('./verbs/report/report.ts');
      return { options, run };
    }),
    server(
      'serve',
      'Serve the explorer interface from a simulated chain, record files or a lake',
      async () => {
        const { serveOptions: options, serveVerb: run } = await import(
          '../../service/src/verb/serve.ts'
        );
        return { options, run };
      },
    ),
  ],
  Watch: [
    verb('status', 'Show the tables of the lake and their coverage', async () => {
      const { statusOptions: options, statusVerb: run } = await import('./verbs/status/status.ts');
      return { options, run };
    }),
    verb('runs [run]', 'List runs, or show the report of one', async () => {
      const { runsOptions: options, runsVerb: run } = await import('./verbs/runs.ts');
      return { options, run };
    }),
    work('check', 'Check the warehouse for gaps, duplicates and contradictions', async () => {
      const { checkOptions: options, checkVerb: run } = await import('./verbs/check.ts');
      return { options, run };
    }),
    verb('alerts <action> [pipeline]', 'Show, check or test the alerts of a pipeline', async () => {
      const { alertsOptions: options, alertsVerb: run } = await import('./verbs/alerts.ts');
      return { options, run };
    }),
  ],
  Repair: [
    work(
      'audit <pipeline>',
      'Fetch a sample of finished slices again and report differences',
      async () => {
        const { auditOptions: options, auditVerb: run } = await import('./verbs/audit.ts');
        return { options, run };
      },
    ),
    work(
      'verify [pipeline]',
      'Find damaged files of the lake; --repair fetches lost rows again',
      async () => {
        const { verifyOptions: options, verifyVerb: run } = await import('./verbs/verify.ts');
        return { options, run };
      },
    ),
    work('refetch <pipeline>', 'Fetch complete blocks again and replace their rows', async () => {
      const { refetchOptions: options, refetchVerb: run } = await import('./verbs/refetch.ts');
      return { options, run };
    }),
    work('backfill <pipeline>', 'Fetch older blocks than the pipeline requests', async () => {
      const { backfillOptions: options, backfillVerb: run } = await import('./verbs/backfill.ts');
      return { options, run };
    }),
    verb(
      'quarantine <action> [id..]',
      'List, show, replay or drop records that broke their contract',
      async () => {
        const { quarantineOptions: options, quarantineVerb: run } = await import(
          './verbs/quarantine/quarantine.ts'
        );
        return { options, run };
      },
    ),
    work('maintain', 'Merge small files of the lake and delete replaced ones', async () => {
      const { maintainOptions: options, maintainVerb: run } = await import(
        './verbs/maintain/maintain.ts'
      );
      return { options, run };
    }),
    work(
      'forget <address> [pipelines..]',
      'Remove the rows and coverage of an address',
      async () => {
        const { forgetOptions: options, forgetVerb: run } = await import(
          './verbs/maintain/forget.ts'
        );
        return { options, run };
      },
    ),
    work('load', 'Rebuild the warehouse from the lake', async () => {
      const { loadOptions: options, loadVerb: run } = await import('./verbs/load.ts');
      return { options, run };
    }),
  ],
};
