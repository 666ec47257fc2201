import { createHash } from 'node:crypto';
import { type RunReport, runSeconds } from '../../land/reports/run-reports.ts';
import { type Html, html, tableHtml } from '../html/html.ts';
import { matrixHtml } from '../html/matrix.ts';
import { BASE_STYLE } from '../html/style.ts';
import { coverageChart, coverageLegend, rateChart, rowsChart, storageChart } from './charts.ts';
import type { LakeFacts } from './lake-facts.ts';

const MIB = 1024 * 1024;

/**
 * One page about a run, in one file: it has no script, loads nothing, and its policy allows its own
 * style alone. All texts of the service are escaped.
 */
export function reportPage(run: RunReport, lake: LakeFacts): string {
  const digest = createHash('sha256').update(REPORT_STYLE).digest('base64');
  const closed = "base-uri 'none'; form-action 'none'";
  const policy = `default-src 'none'; style-src 'sha256-${digest}'; ${closed}`;
  const sections = [
    section('plan', 'Planned and actual', planned(run)),
    section('coverage', 'Coverage', coverage(lake)),
    section(
      'reconciliations',
      'Reconciliations',
      matrixHtml(lake.reconciliations, undefined, run.pipelineFile),
    ),
    section('rate', 'Rate', rate(run)),
    section('days', 'Rows per day', days(lake)),
    section('captures', 'Captures', captures(run, lake)),
    section('checks', 'Checks', checks(run)),
    section('quarantine', 'Quarantine', quarantine(lake)),
    section('drift', 'Drift', drift(run)),
    section('storage', 'Storage', storage(lake)),
  ];
  const { kind, text } = verdictOf(run);
  const seconds = runSeconds(run);
  const time = seconds === null ? '' : `for ${seconds.toLocaleString('en-US')} s`;
  const head = html`<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Run ${run.run} of ${run.pipeline}</title>`;
  const body = html`</head><body>
<a class="skip" href="#main">Skip to the content</a>
<header><h1>Run of ${run.pipeline}</h1>
<p class="soft">${run.run}, from ${run.startedAt} ${time}</p>
<p><strong class="${kind}">${text}</strong></p></header>
<main id="main">${cards(run)}${sections}</main>
</body></html>`;
  // A digest of the style would not match if the style were escaped.
  return `${head.text}<style>${REPORT_STYLE}</style>${body.text}\n`;
}

function section(id: string, title: string, content: Html): Html {
  return html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2>${content}</section>`;
}

function cards({ actual, checks }: RunReport): Html {
  const errors = (checks ?? []).filter(({ severity }) => severity === 'error');
  const figures: readonly (readonly [string, number | null | undefined])[] = [
    ['rows landed', actual?.rows],
    ['requests', actual?.requests],
    ['rejected by the rate limit', actual?.rejections],
    ['slices', actual?.slices],
    ['records in quarantine', actual?.quarantined],
    ['findings of checks', errors.reduce((sum, { findings }) => sum + findings, 0)],
  ];
  const items = figures.map(
    ([name, value]) => html`<li><b>${shown(value)}</b><span>${name}</span></li>`,
  );
  return html`<ul class="cards">${items}</ul>`;
}

function shown(value: number | null | undefined): string {
  return typeof value === 'number' ? value.toLocaleString('en-US') : '–';
}

function planned(run: RunReport): Html {
  const { planned: plan, failed } = run;
  const table = tableHtml({
    caption:
      plan?.isLowerBound === true
        ? 'The price was not known before the run.'
        : 'Figures of the run.',
    columns: ['figure', 'planned', 'actual'],
    rows: planRows(run),
  });
  const statuses = Object.entries(run.actual?.statuses ?? {});
  const failures = (failed ?? [])
    .slice(0, 20)
    .map((slice) => [
      slice.endpoint ?? null,
      slice.from ?? null,
      slice.to ?? null,
      slice.reason ?? null,
    ]);
  return html`${table}${tableOrNothing('Slices by status', ['status', 'slices'], statuses)}
${tableOrNothing('Slices that failed', ['endpoint', 'from', 'to', 'reason'], failures)}`;
}

function tableOrNothing(
  caption: string,
  columns: readonly string[],
  rows: readonly (readonly (string | number | null)[])[],
): Html {
  return rows.length === 0 ? html`` : tableHtml({ caption, columns, rows });
}

function folded(title: string, content: Html): Html {
  return html`<details><summary>${title}</summary>${content}</details>`;
}

function coverage({ windows, evidence }: LakeFacts): Html {
  if (windows.length === 0) return html`<p>Nothing was requested yet.</p>`;
  const axes = [...new Set(windows.map(({ axis }) => axis))];
  const rows = windows.map(({ dataset, axis, from, to, share }) => {
    return { dataset, axis, from, to, complete: `${Math.floor(share * 1000) / 10} %` };
  });
  return html`<p>Share of the requested blocks of all keys that is complete. Blank windows were not
requested.</p>${coverageLegend()}${axes.map((axis) => coverageChart(axis, windows))}
${rowsTable('Blocks of lists by address that are complete, and that a node agrees with', evidence)}
${folded('The same as a table', rowsTable('Windows', rows))}`;
}

function rate({ rate: samples, pace }: RunReport): Html {
  const limit = pace?.ceilingPerSecond;
  const learned =
    typeof limit === 'number'
      ? `The learned limit is ${limit.toFixed(1)} requests per second.`
      : 'The service rejected no request for its rate, so no limit was learned.';
  const cause = pace?.limitedBy;
  const why = typeof cause === 'string' ? ` The rate was limited by ${cause}.` : '';
  const text = html`<p>${learned}${why}</p>`;
  return (samples?.length ?? 0) < 3 ? text : html`${text}${rateChart(samples ?? [])}`;
}

function days({ rowsPerDay }: LakeFacts): Html {
  if (rowsPerDay.length === 0) return html`<p>No rows yet.</p>`;
  const rows = rowsPerDay.slice(-500).map((row) => ({ ...row }));
  const table = rowsTable('Rows of curated tables', rows);
  return html`${rowsChart(rowsPerDay)}${folded('The same as a table', table)}`;
}

function captures({ captured }: RunReport, { captures: facts }: LakeFacts): Html {
  const { health, gaps, outcomes, pending } = facts;
  if ((captured ?? []).length + health.length + pending.length === 0) {
    return html`<p>Neither a stream nor the pending state was captured.</p>`;
  }
  return html`${rowsTable('Captures of this run', captured ?? [])}
${rowsTable('The stream by hour, newest first', health)}
${rowsTable('Gaps by reason', gaps)}${rowsTable('Preconfirmations by outcome', outcomes)}
${rowsTable('Pending values beside settled ones', pending)}`;
}

/** A table with the columns of its first row; nothing without rows. */
function rowsTable(caption: string, rows: readonly Readonly<Record<string, unknown>>[]): Html {
  const columns = Object.keys(rows[0] ?? {});
  const cells = rows.map((row) => columns.map((name) => valueText(row[name])));
  return tableOrNothing(caption, columns, cells);
}

function checks({ checks: all }: RunReport): Html {
  if (all === null || all === undefined || all.length === 0) return html`<p>No check ran.</p>`;
  const rows = all.map(({ check, severity, findings }) => [
    check,
    findings === 0 ? 'ok' : severity,
    findings,
  ]);
  const table = tableHtml({ caption: 'Checks', columns: ['check', 'result', 'findings'], rows });
  const evidence = all.flatMap(({ check, findings, examples = [] }) => {
    if (examples.length === 0) return [];
    const caption = `The first of ${findings.toLocaleString('en-US')}`;
    return [folded(`Evidence of ${check}`, rowsTable(caption, examples))];
  });
  return html`${table}${evidence}`;
}

function valueText(value: unknown): string | number | null {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

function quarantine({ quarantine: rows }: LakeFacts): Html {
  if (rows.length === 0) return html`<p class="good">No records are in quarantine.</p>`;
  return rowsTable('Records in quarantine by reason', rows);
}

function drift({ actual }: RunReport): Html {
  const rows = [
    ...Object.entries(actual?.drift ?? {}).map(([field, count]) => [field, 'unknown field', count]),
    ...Object.entries(actual?.absent ?? {}).map(([field, count]) => [field, 'missing', count]),
  ];
  if (rows.length === 0) return html`<p class="good">All records have the known fields.</p>`;
  const columns = ['field', 'finding', 'records'];
  return tableHtml({ caption: 'Fields that differ from the catalogue', columns, rows });
}

function storage({ tables }: LakeFacts): Html {
  if (tables.length === 0) return html`<p>No tables yet.</p>`;
  const sizes = tables.map((row) => ({
    name: String(row['dataset']),
    mib: Number(row['bytes']) / MIB,
  }));
  const table = rowsTable('Raw tables', tables);
  return html`${storageChart(sizes)}${folded('The same as a table', table)}`;
}

/** The result of a run in words; `kind` is its colour. */
interface RunVerdict {
  readonly kind: 'good' | 'warn' | 'bad';
  readonly text: string;
}

const OUTCOMES: Readonly<Record<number, RunVerdict>> = {
  3: {
    kind: 'warn',
    text: 'Partial: a slice failed, its records are not complete, or a capture read nothing.',
  },
  130: { kind: 'warn', text: 'Interrupted: run again to continue.' },
};

export function verdictOf(run: RunReport): RunVerdict {
  const { exitCode, nothingToDo, endedAt, error, captured = [] } = run;
  if (error !== null && error !== undefined) {
    return { kind: 'bad', text: `Failed: ${error.message} ${error.advice ?? ''}`.trim() };
  }
  if (typeof endedAt !== 'string') {
    return { kind: 'bad', text: 'Not ended: the run was killed, or is still under way.' };
  }
  if (nothingToDo === true && exitCode === 0 && captured.every(({ rows }) => rows === 0)) {
    return { kind: 'good', text: 'Nothing to fetch: all requested blocks were read before.' };
  }
  if (exitCode === 0) return { kind: 'good', text: completeText(run) };
  if (exitCode === 4) return { kind: 'warn', text: `${completeText(run)} Checks have findings.` };
  return (
    OUTCOMES[exitCode ?? -1] ?? { kind: 'bad', text: `Ended with exit code ${exitCode ?? '?'}.` }
  );
}

/** Says that a run without failures is complete, or names its slices that are not. */
function completeText({ actual }: RunReport): string {
  const short = Object.entries(actual?.statuses ?? {}).flatMap(([status, count]) => {
    if (status === 'complete') return [];
    const why = status === 'provisional' ? 'later runs read them again' : 'accepted';
    return [`${shown(count)} ${status} (${why})`];
  });
  if (short.length > 0) return `Complete, but for these slices: ${short.join(', ')}.`;
  return 'Complete: all requested records below the safe height are there.';
}

/** Planned and actual figures, side by side. The least price of a plan is not shown as planned. */
function planRows(run: RunReport): (readonly [string, number | null, number | null])[] {
  const { planned, actual } = run;
  const isKnown = planned?.isLowerBound !== true;
  const minutes = isKnown ? planned?.minutes : null;
  return [
    ['requests', (isKnown ? planned?.requests : null) ?? null, actual?.requests ?? null],
    ['slices', planned?.slices ?? null, actual?.slices ?? null],
    ['rows', planned?.rows ?? null, actual?.rows ?? null],
    ['KiB received', kib(planned?.bytes), kib(actual?.bytes)],
    ['seconds', typeof minutes === 'number' ? Math.ceil(minutes * 60) : null, runSeconds(run)],
  ];
}

function kib(bytes: number | null | undefined): number | null {
  return typeof bytes === 'number' ? Math.round(bytes / 1024) : null;
}

/** The style of report pages: that of all pages, and the charts. */
const REPORT_STYLE = `${BASE_STYLE}
figure { margin: .5rem 0 1rem; } figcaption { color: var(--soft); font-size: .9rem; }
svg { display: block; width: 100%; height: auto; color: var(--text); overflow: visible;
  font-size: 11.5px; }
.narrow { display: none; }
@media (max-width: 640px) { .wide { display: none; } .narrow { display: block; } }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1rem; list-style: none; margin: .25rem 0;
  padding: 0; font-size: .875rem; }
.legend li::before { content: ''; display: inline-block; width: .8rem; height: .8rem;
  border-radius: .15rem; margin-right: .4rem; background: var(--c); vertical-align: -1px; }
.h0 { --c: var(--h0); } .h1 { --c: var(--h1); } .h2 { --c: var(--h2); } .h3 { --c: var(--h3); }
.s0 { --c: var(--s1); } .s1 { --c: var(--s2); } .s2 { --c: var(--s3); } .s3 { --c: var(--s4); }
.s4 { --c: var(--s5); }
@media print { .narrow { display: none; } .wide { display: block; } }
`;
