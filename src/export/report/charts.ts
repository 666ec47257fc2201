import * as Plot from '@observablehq/plot';
import { parseHTML } from 'linkedom';
import type { RunReport } from '../../land/reports/run-reports.ts';
import { Html, html } from '../html/html.ts';
import type { DayRows, WindowShare } from './lake-facts.ts';

/** Charts as SVG, made without a browser. Colours are variables of the page's style. */

/** A chart is drawn for wide screens and for phones; the style shows one of the two. */
const WIDTHS = [
  { name: 'wide', width: 880 },
  { name: 'narrow', width: 350 },
] as const;

const SERIES = ['--s1', '--s2', '--s3', '--s4', '--s5'].map((name) => `var(${name})`);

/** Classes of shares, from nothing to everything. */
const CLASSES = ['0 %', 'under 50 %', 'under 100 %', '100 %'];
const CLASS_COLOURS = ['--h0', '--h1', '--h2', '--h3'].map((name) => `var(${name})`);

type Draw = (width: number) => Plot.PlotOptions;

/** A figure with its caption. `label` says in words what the chart shows. */
function figure(caption: string, label: string, draw: Draw): Html {
  const drawn = WIDTHS.map(({ name, width }) => {
    const { document } = parseHTML('<!doctype html><html><body></body></html>');
    const svg = Plot.plot({ ...draw(width), width, document } as Plot.PlotOptions);
    // Its style would need a hole in the policy of the page.
    for (const style of svg.querySelectorAll('style')) style.remove();
    for (const part of svg.querySelectorAll('[aria-label]')) part.removeAttribute('aria-label');
    for (const part of svg.querySelectorAll('[style]')) part.removeAttribute('style');
    svg.setAttribute('role', 'img');
    svg.setAttribute('aria-label', label);
    return html`<div class="${name}">${new Html(svg.outerHTML)}</div>`;
  });
  return html`<figure><figcaption>${caption}</figcaption>${drawn}</figure>`;
}

/** A legend in words and colours, which is read before the chart. */
function legend(names: readonly string[], classPrefix: string): Html {
  const items = names.map((name, i) => html`<li class="${classPrefix}${i}">${name}</li>`);
  return html`<ul class="legend">${items}</ul>`;
}

/** Datasets by windows of blocks of one axis, coloured by the share that is complete. */
export function coverageChart(axis: string, all: readonly WindowShare[]): Html {
  const cells = all.filter((cell) => cell.axis === axis);
  const datasets = [...new Set(cells.map(({ dataset }) => dataset))];
  const full = cells.filter(({ share }) => share === 1).length;
  const label = `${full} of ${cells.length} windows of the ${axis} chain are complete`;
  return figure(`Blocks of the ${axis} chain`, label, (width) => ({
    ...namedBars(datasets, width),
    marginRight: 24,
    x: { label: 'block', ticks: width < 500 ? 3 : 8, tickFormat: blockText, insetRight: 1 },
    color: { type: 'ordinal', domain: CLASSES, range: CLASS_COLOURS },
    marks: [
      Plot.barX(cells, {
        x1: 'from',
        x2: ({ to }: WindowShare) => to + 1,
        y: 'dataset',
        fill: ({ share }: WindowShare) => CLASSES[classOf(share)],
        inset: 0.5,
      }),
    ],
  }));
}

/** The legend of all coverage charts. */
export function coverageLegend(): Html {
  return legend(CLASSES, 'h');
}

function classOf(share: number): number {
  if (share >= 1) return 3;
  return share <= 0 ? 0 : share < 0.5 ? 1 : 2;
}

/** Heights as `29.9k` and `19.2M`. */
function blockText(height: number): string {
  if (height >= 1e6) return `${Number((height / 1e6).toFixed(2))}M`;
  return height >= 1e4 ? `${Number((height / 1e3).toFixed(1))}k` : String(height);
}

/** A bar for each name, with names that fit beside the chart of a phone. */
function namedBars(names: readonly string[], width: number) {
  const isNarrow = width < 500;
  const tickFormat = (name: string): string =>
    isNarrow && name.length > 18 ? `${name.slice(0, 17)}…` : name;
  return {
    height: 60 + 26 * names.length,
    marginLeft: isNarrow ? 118 : 160,
    marginBottom: 36,
    y: { label: null, domain: names, padding: 0.12, tickFormat, tickSize: 0 },
  };
}

/** Rows of each dataset per day. */
export function rowsChart(days: readonly DayRows[]): Html {
  const datasets = [...new Set(days.map(({ dataset }) => dataset))];
  const dayNames = [...new Set(days.map(({ day }) => day))].sort();
  const points = days.map((dayRows) => ({ ...dayRows, time: new Date(dayRows.day) }));
  const color = { type: 'ordinal', domain: datasets, range: SERIES } as const;
  const few = dayNames.length <= 31;
  const label = `Rows of ${datasets.length} datasets on ${dayNames.length} days`;
  const chart = figure('Rows per day', label, (width) => ({
    height: 240,
    marginLeft: 48,
    marginBottom: 34,
    x: few
      ? { type: 'band', domain: dayNames, label: null, tickFormat: dayText(dayNames, width) }
      : { type: 'utc', label: null, ticks: width < 500 ? 3 : 8 },
    y: { label: 'rows', grid: true, tickFormat: 's', ticks: 5 },
    color,
    marks: [
      few
        ? Plot.barY(points, { x: 'day', y: 'rows', fill: 'dataset' })
        : Plot.areaY(points, { x: 'time', y: 'rows', fill: 'dataset' }),
      Plot.ruleY([0]),
    ],
  }));
  return html`${legend(datasets, 's')}${chart}`;
}

/** Every day's name where there is room, otherwise some. */
function dayText(days: readonly string[], width: number): (day: string) => string {
  const every = Math.ceil((days.length * 76) / (width - 60));
  return (day) => (days.indexOf(day) % every === 0 ? day : '');
}

/** Requests per second between the samples of a run, with the learned limit. */
export function rateChart(samples: NonNullable<RunReport['rate']>): Html {
  const rates = samples.slice(1).map((sample, i) => {
    const before = samples[i] ?? sample;
    const seconds = Math.max(0.001, sample.seconds - before.seconds);
    return { seconds: sample.seconds, rate: (sample.requests - before.requests) / seconds };
  });
  const limits = samples.filter(({ ceilingPerSecond }) => ceilingPerSecond !== null);
  const most = Math.max(0, ...rates.map(({ rate }) => rate)).toFixed(1);
  const learned = limits.length > 0 ? 'with' : 'without';
  const label = `Requests per second, at most ${most}; ${learned} a learned limit`;
  const rate = { x: 'seconds', y: 'rate', curve: 'step-before' } as const;
  const chart = figure('Requests per second', label, (width) => ({
    height: 220,
    marginLeft: 48,
    marginBottom: 36,
    x: { label: 'seconds since the start', ticks: width < 500 ? 4 : 8 },
    y: { label: 'requests per second', grid: true, zero: true },
    marks: [
      Plot.areaY(rates, { ...rate, fill: 'var(--s1)', fillOpacity: 0.25 }),
      Plot.lineY(rates, { ...rate, stroke: 'var(--s1)', strokeWidth: 2 }),
      Plot.lineY(limits, {
        x: 'seconds',
        y: 'ceilingPerSecond',
        stroke: 'var(--s2)',
        strokeWidth: 2,
        strokeDasharray: '6 4',
        curve: 'step-after',
      }),
      Plot.ruleY([0]),
    ],
  }));
  return html`${legend(['requests per second', 'learned limit'], 's')}${chart}`;
}

/** Bytes of each raw table. */
export function storageChart(
  tables: readonly { readonly name: string; readonly mib: number }[],
): Html {
  const total = tables.reduce((sum, { mib }) => sum + mib, 0);
  const label = `${tables.length} tables of ${total.toFixed(1)} MiB in total`;
  return figure('Size of the raw tables', label, (width) => ({
    ...namedBars(
      tables.map(({ name }) => name),
      width,
    ),
    x: { label: 'MiB', grid: true, ticks: 5 },
    marks: [Plot.barX(tables, { x: 'mib', y: 'name', fill: 'var(--s1)' }), Plot.ruleX([0])],
  }));
}
