import { describe, expect, it } from 'vitest';
import { systemConsole } from '../../../../src/cli/terminal/console.ts';
import { RunProgress, statusText } from '../../../../src/cli/terminal/progress.ts';
import { TrafficCounter } from '../../../../src/fetch/http/statistics.ts';
import type { LongWait } from '../../../../src/fetch/limits/admission.ts';
import type { LandedCounts } from '../../../../src/land/committer.ts';
import { estimate } from '../../../../src/plan/estimate.ts';
import type { Plan } from '../../../../src/plan/plan.ts';
import { planSlices } from '../../../../src/plan/slices.ts';
import { virtualClock } from '../../../fixtures/virtual-clock.ts';
import { addresses, inputOf, MANY_KEYS, pipelineOf } from '../../../model/plan-input.ts';

/** Goal: what a terminal shows of a run is whole lines above one line of progress, at any width. */

const ESCAPE = String.fromCodePoint(0x1b);
/** A control sequence, or a character. */
const PIECES = new RegExp(`${ESCAPE}\\[[0-9?]*[a-zA-Z]|[\\s\\S]`, 'gu');

/** A terminal that knows line ends, carriage returns, erasing, and where lines wrap. */
function terminal(columns: number, isTTY = true) {
  const lines: string[] = [''];
  let column = 0;
  const put = (character: string): void => {
    if (column === columns) lineEnd();
    const line = (lines.at(-1) ?? '').padEnd(column);
    lines[lines.length - 1] = line.slice(0, column) + character + line.slice(column + 1);
    column += 1;
  };
  const lineEnd = (): void => {
    lines.push('');
    column = 0;
  };
  return {
    isTTY,
    columns,
    write(text: string) {
      for (const [part] of text.matchAll(PIECES)) {
        if (part === '\n') lineEnd();
        else if (part === '\r') column = 0;
        else if (part === `${ESCAPE}[K`) {
          lines[lines.length - 1] = (lines.at(-1) ?? '').slice(0, column);
        } else if (part.startsWith(ESCAPE)) throw new Error(`unknown: ${JSON.stringify(part)}`);
        else put(part);
      }
    },
    lines,
    last: () => lines.at(-1) ?? '',
  };
}

const NONE: LandedCounts = {
  commits: 0,
  pending: 0,
  slices: 0,
  rowsFetched: 0,
  rows: 0,
  rowsReplaced: 0,
  quarantined: 0,
  drift: new Map(),
  absent: new Map(),
  statuses: new Map(),
  contradicted: 0,
};

function setUp(columns: number, isTTY = true, isCapturing = false) {
  const screen = terminal(columns, isTTY);
  const output = systemConsole(false, screen, screen);
  const clock = virtualClock();
  const traffic = new TrafficCounter();
  let listener: (wait: LongWait) => void = () => undefined;
  const connection = {
    statistics: () => traffic.statistics(),
    onLongWait: (callback: typeof listener) => {
      listener = callback;
      return () => undefined;
    },
  };
  const watch = new RunProgress(output, connection, clock, isCapturing);
  const made = planSlices(inputOf(pipelineOf([MANY_KEYS]), addresses(3)));
  const [request] = made.requests;
  const [slice] = made.slices;
  if (request === undefined || slice === undefined) throw new Error('a slice was expected');
  const slices = Array.from({ length: 40 }, () => ({ ...slice }));
  const requests = [
    { ...request, slices },
    { ...request, isFound: true, slices: [] },
  ];
  const plan: Plan = { ...made, slices, requests };
  const chainCheck = { changed: new Map<string, number>(), checkpoints: {}, hashes: {} };
  const priced = { plan, chainCheck, estimate: estimate(plan, new Map(), 10, 1) };
  const request1 = (): void => {
    traffic.count('x', 'requests');
    traffic.count('x', 'replies');
  };
  const wait = (waitMs: number): void =>
    listener({ waitMs, untilMs: clock.now() + waitMs, reason: 'Too Many Requests (50011)' });
  const reject = (): void => {
    traffic.count('x', 'requests');
    traffic.count('x', 'rejections');
  };
  /** A slice of the lists has ended, after this many requests. */
  const ended = (records: number, walked = 1): void =>
    watch.progressed({ counts: () => ({ ...NONE, rowsFetched: records }) }, request, walked);
  return { screen, output, clock, watch, priced, request: request1, ended, reject, wait };
}

describe.each([40, 80, 200])('on a terminal of %d columns', (columns) => {
  it('the progress fills one line, and notes stand in lines of their own above it', async () => {
    const { screen, output, clock, watch, priced, request, ended } = setUp(columns);
    watch.planned(priced);
    for (let i = 0; i < 20; i += 1) {
      request();
      await clock.pass(1000);
      ended(i * 1_000_000);
      if (i === 10) output.note('A note.');
      const line = screen.last();
      expect(line.length).toBeLessThanOrEqual(columns - 3);
      expect(line).toContain('/40 slices');
    }
    expect(screen.lines).toContain('A note.');
    expect(screen.lines.filter((line) => line.includes('/40 slices'))).toHaveLength(1);
    expect(screen.last()).toContain('lists 20/40 slices | 20 s left');
    watch.close();
    expect(screen.last()).toBe('');
    output.note('The end.');
    expect(screen.lines.slice(-2)).toEqual(['The end.', '']);
  });
});

it('a terminal that is too narrow for one figure still gets one line', async () => {
  const { screen, clock, watch, priced } = setUp(12);
  watch.planned(priced);
  const before = screen.lines.length;
  await clock.pass(5000);
  expect(screen.lines).toHaveLength(before);
  expect(screen.last()).toBe('lists 0/4');
  watch.close();
});

it('records count when they are fetched, between the ends of slices too', async () => {
  const { screen, clock, watch, priced } = setUp(120);
  const [planned] = priced.plan.requests;
  if (planned === undefined) throw new Error('a request was expected');
  watch.planned(priced);
  let fetched = 0;
  const committer = { counts: () => ({ ...NONE, rowsFetched: fetched, rows: 0 }) };
  watch.progressed(committer, planned, 1);
  fetched = 1234;
  await clock.pass(1000);
  expect(screen.last()).toContain('1,234 records');
  watch.close();
});

it('a service that does not reply gets no time of arrival, and slices left none of 0 s', async () => {
  const { screen, clock, watch, priced, request, ended } = setUp(120);
  watch.planned(priced);
  for (let i = 0; i < 39; i += 1) {
    request();
    await clock.pass(100);
    ended(1);
  }
  expect(screen.last()).toContain('39/40 slices | 1 s left');
  await clock.pass(60_000);
  expect(screen.last()).toContain('39/40 slices | no reply for 1 min');
  expect(screen.lines.join('\n')).not.toContain(' 0 s left');
  watch.close();
});

it('a run that captures after its last slice says so, and not that no reply comes', async () => {
  const { screen, clock, watch, priced, ended } = setUp(120, true, true);
  watch.planned(priced);
  for (let i = 0; i < 40; i += 1) ended(1);
  await clock.pass(60_000);
  expect(screen.last()).toContain('40/40 slices | capturing');
  watch.close();
});

it('a run that only captures shows no figures of lists', async () => {
  const { screen, clock, watch, priced } = setUp(120, true, true);
  const { plan, estimate: price } = priced;
  const empty = { plan: { ...plan, slices: [] }, estimate: { ...price, requests: [] } };
  watch.planned({ ...priced, ...empty });
  await clock.pass(60_000);
  expect(screen.last()).toMatch(/^\W* ?capturing$/);
  watch.close();
});

it('a service that refuses requests is shown as throttling', async () => {
  const { screen, clock, watch, priced, reject } = setUp(120);
  watch.planned(priced);
  reject();
  await clock.pass(60_000);
  expect(screen.last()).toContain('0/40 slices | throttled for 1 min');
  watch.close();
});

it('a wait that the service asks for is told, and counted down', async () => {
  const { screen, clock, watch, priced, wait } = setUp(160);
  watch.planned(priced);
  wait(3_600_000);
  expect(screen.lines.join('\n')).toContain('The service asks to wait 1 h, until 2025-01-01 01:00');
  await clock.pass(600_000);
  expect(screen.last()).toContain('waiting 50 min');
  await clock.pass(3_001_000);
  expect(screen.last()).not.toContain('waiting');
  watch.close();
});

it('look-ups of found keys are a phase with a bar of its own', async () => {
  const { screen, watch, priced, ended } = setUp(120);
  watch.planned(priced);
  ended(1);
  const [lists, lookUps] = priced.plan.requests;
  if (lists === undefined || lookUps === undefined) throw new Error('requests were expected');
  watch.lookUpsPlanned({ requests: [lookUps] });
  expect(screen.last()).toContain('lists 1/40 slices');
  watch.lookUpsPlanned({ requests: [{ ...lookUps, slices: lists.slices.slice(0, 15) }] });
  expect(screen.last()).toContain('look-ups 0/15 slices');
  expect(screen.lines).toContain('Keys found in landed rows: 15 slices to look up.');
  watch.close();
});

it('nothing is drawn outside a terminal: lines at growing distances where something has moved', async () => {
  const { screen, clock, watch, priced, request, ended } = setUp(120, false);
  watch.planned(priced);
  const before = screen.lines.length;
  for (let i = 0; i < 36; i += 1) {
    request();
    ended(i);
    await clock.pass(1000);
  }
  await clock.pass(60_000);
  watch.close();
  const lines = screen.lines.slice(before - 1, -1);
  expect(lines).toHaveLength(4);
  expect(lines[0]).toBe(
    'lists 5/40 slices, 35 s left, 4 records, 5 of about 40 requests at 1.0/s, look-ups follow',
  );
  expect(screen.last()).toBe('');
});

it('figures are left out, the least important first, where there is no room for them', () => {
  const figures = {
    phase: 'lists' as const,
    done: 12,
    total: 40,
    requests: 1234,
    expected: 4000,
    perSecond: 19.84,
    records: 45_678,
    areLookUpsLeft: false,
    outlook: '3 min 5 s left',
  };
  const text =
    'lists 12/40 slices | 3 min 5 s left | 45,678 records | 1,234 of about 4,000 requests at 19.8/s';
  expect(statusText(figures, 124)).toBe(`████████░░░░░░░░░░░░░░░░░░░░░ ${text}`);
  expect(statusText(figures, 98)).toBe(text);
  expect(statusText(figures, 60)).toBe('lists 12/40 slices | 3 min 5 s left | 45,678 records');
  expect(statusText(figures, 5)).toBe('lists 12/40 slices');
});
