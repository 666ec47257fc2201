import { type Verb, type VerbTable, verb, work } from './verb.ts';
import type { OpenCompiler } from './verbs/contract/local-compiler.ts';

/** The verb that checks contract sources by the compiler of the program before it sends them. */
export function contractVerb(openCompiler: OpenCompiler): Verb {
  return verb('contract <action> [files..]', 'Submit contract sources, or list them', async () => {
    const { contractOptions, runContract } = await import('./verbs/contract/contract.ts');
    return [contractOptions, (input, output) => runContract(input, output, openCompiler)];
  });
}

/** The verbs of the pipeline. The service adds its own (service/src/program.ts). */
export const VERBS = {
  Start: [
    verb('init [folder]', 'Write a new pipeline and the files around it', () =>
      import('./verbs/init/init.ts').then((m) => [m.initOptions, m.initVerb]),
    ),
    work('doctor <pipeline>', 'Check everything that a run needs, with remedies', () =>
      import('./verbs/doctor/doctor.ts').then((m) => [m.doctorOptions, m.doctorVerb]),
    ),
    verb('describe [name]', 'Describe endpoints, datasets, views and macros', () =>
      import('./verbs/describe.ts').then((m) => [m.describeOptions, m.describeVerb]),
    ),
    verb('completion <shell>', 'Print a completion script for bash, zsh or fish', () =>
      import('./verbs/completion.ts').then((m) => [m.completionOptions, m.completionVerb]),
    ),
    verb('version', 'Print the version', () =>
      import('./verbs/version.ts').then((m) => [m.versionOptions, m.versionVerb]),
    ),
  ],
  Export: [
    verb('plan <pipeline>', 'Print the requests of a run and their price', () =>
      import('./verbs/plan.ts').then((m) => [m.planOptions, m.planVerb]),
    ),
    work(
      'run <pipeline>',
      'Fetch missing blocks, write them to the lake and publish the warehouse',
      () => import('./verbs/run.ts').then((m) => [m.runOptions, m.runVerb]),
    ),
    work('worker', 'Fetch parts of runs that were queued in Redis, until interrupted', () =>
      import('./verbs/queue/worker-verb.ts').then((m) => [m.workerOptions, m.workerVerb]),
    ),
    work('follow <pipeline>', 'Keep the lake up with the head, in small commits', () =>
      import('./verbs/follow/follow.ts').then((m) => [m.followOptions, m.followVerb]),
    ),
    verb(
      'schedule <action> [pipeline]',
      'Print the schedule of a pipeline for cron, systemd and others, or run it in the foreground',
      () => import('./verbs/schedule/schedule.ts').then((m) => [m.scheduleOptions, m.scheduleVerb]),
    ),
  ],
  Ask: [
    verb('query [sql]', 'Run one SELECT over the warehouse', () =>
      import('./verbs/query/query.ts').then((m) => [m.queryOptions, m.queryVerb]),
    ),
    verb('sql', 'Query the warehouse in an interactive shell', () =>
      import('./verbs/query/sql.ts').then((m) => [m.sqlOptions, m.sqlVerb]),
    ),
    verb('connect', 'Print how other programs open the warehouse and the lake', () =>
      import('./verbs/connect.ts').then((m) => [m.connectOptions, m.connectVerb]),
    ),
    work(
      'export [what..]',
      'Write views or query results as Parquet, CSV, XLSX, JSON Lines or Arrow files',
      () => import('./verbs/export.ts').then((m) => [m.exportOptions, m.exportVerb]),
    ),
    work(
      'notebook <template>',
      'Write a notebook of charts over the warehouse; --execute runs it',
      () => import('./verbs/notebook/notebook.ts').then((m) => [m.notebookOptions, m.notebookVerb]),
    ),
    work('report [run]', 'Write one page of HTML about a run and the lake', () =>
      import('./verbs/report.ts').then((m) => [m.reportOptions, m.reportVerb]),
    ),
    work(
      'certify [action] [file]',
      'Sign a certificate of the lake, or check one; prove that it has a row',
      () => import('./verbs/certify/certify.ts').then((m) => [m.certifyOptions, m.certifyVerb]),
    ),
  ],
  Watch: [
    verb('status', 'Show the tables of the lake and their coverage', () =>
      import('./verbs/status/status.ts').then((m) => [m.statusOptions, m.statusVerb]),
    ),
    verb('runs [run]', 'List runs, or show the report of one', () =>
      import('./verbs/runs.ts').then((m) => [m.runsOptions, m.runsVerb]),
    ),
    work('check', 'Check the warehouse for gaps, duplicates and contradictions', () =>
      import('./verbs/check.ts').then((m) => [m.checkOptions, m.checkVerb]),
    ),
    work('reconcile <pipeline>', 'Compare balances and blocks with a node of the chain', () =>
      import('./verbs/reconcile.ts').then((m) => [m.reconcileOptions, m.reconcileVerb]),
    ),
    verb('alerts <action> [pipeline]', 'Show, check or test the alerts of a pipeline', () =>
      import('./verbs/alerts.ts').then((m) => [m.alertsOptions, m.alertsVerb]),
    ),
  ],
  Repair: [
    work('audit <pipeline>', 'Fetch a sample of finished slices again and report differences', () =>
      import('./verbs/audit.ts').then((m) => [m.auditOptions, m.auditVerb]),
    ),
    work(
      'verify [pipeline]',
      'Find damaged files of the lake; --repair fetches lost rows again',
      () => import('./verbs/verify.ts').then((m) => [m.verifyOptions, m.verifyVerb]),
    ),
    work('refetch <pipeline>', 'Fetch complete blocks again and replace their rows', () =>
      import('./verbs/blocks.ts').then((m) => [m.refetchOptions, m.refetchVerb]),
    ),
    work('backfill <pipeline>', 'Fetch older blocks than the pipeline requests', () =>
      import('./verbs/blocks.ts').then((m) => [m.backfillOptions, m.backfillVerb]),
    ),
    verb('quarantine <action> [id..]', 'List, show or drop records that broke their contract', () =>
      import('./verbs/quarantine/quarantine.ts').then((m) => [
        m.quarantineOptions,
        m.quarantineVerb,
      ]),
    ),
    work('maintain', 'Merge small files of the lake and delete replaced ones', () =>
      import('./verbs/maintain/maintain.ts').then((m) => [m.maintainOptions, m.maintainVerb]),
    ),
    work('forget <address> [pipelines..]', 'Remove the rows and coverage of an address', () =>
      import('./verbs/maintain/forget.ts').then((m) => [m.forgetOptions, m.forgetVerb]),
    ),
    work('load', 'Rebuild the warehouse from the lake', () =>
      import('./verbs/load.ts').then((m) => [m.loadOptions, m.loadVerb]),
    ),
  ],
} satisfies VerbTable;
