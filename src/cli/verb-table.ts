import { type Verb, type VerbTable, verb, work } from './verb.ts';
import type { OpenCompiler } from './verbs/contract/local-compiler.ts';

/** The verb that checks contract sources by the compiler of the program before it sends them. */
export function contractVerb(openCompiler: OpenCompiler): Verb {
  return verb('contract <action> [files..]', 'Submit contract sources, or list them', async () => {
    const { contractOptions: options, runContract } = await import('./verbs/contract/contract.ts');
    return { options, run: (given, output) => runContract(given, output, openCompiler) };
  });
}

/** The verbs of the pipeline. The service adds its own (service/src/program.ts). */
export const VERBS = {
  Start: [
    verb('init [folder]', 'Write a new pipeline and the files around it', async () => {
      const { initOptions: options, initVerb: run } = await import('./verbs/init/init.ts');
      return { options, run };
    }),
    work('doctor <pipeline>', 'Check everything that a run needs, with remedies', async () => {
      const { doctorOptions: options, doctorVerb: run } = await import('./verbs/doctor/doctor.ts');
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
      'List, show or drop records that broke their contract',
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
} satisfies VerbTable;
