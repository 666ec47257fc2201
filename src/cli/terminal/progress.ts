import type { Effects } from '../../effects.ts';
import type { Connection } from '../../fetch/connect.ts';
import { waitText } from '../../fetch/http/patience.ts';
import type { Committer } from '../../land/committer.ts';
import { durationText } from '../../pipeline/syntax/duration.ts';
import type { Plan, PlannedRequest } from '../../plan/plan.ts';
import { RemainingRequests } from '../../plan/remaining-requests.ts';
import type { PricedPlan, Watch } from '../../run/run-job.ts';
import type { Console } from './console.ts';
import { counted, many } from './console.ts';
import { listLines, planText } from './plan-text.ts';

/** How often progress is drawn on a terminal, and checked elsewhere. */
const TICK_MS = 1_000;
/** Without a terminal, the time between two lines doubles, and a line needs progress. */
const FIRST_LINE_MS = 5_000;
const LONGEST_LINE_MS = 60_000;
/** Longer than this without a reply is shown. */
const SILENCE_MS = 5_000;
/** Ticks that the recent rate is measured over. */
const RATE_TICKS = 30;

type Counting = Pick<Committer, 'counts'>;
type Counted = Pick<Connection, 'statistics' | 'onLongWait'>;

/**
 * Shows a run on stderr: a status line on a terminal, plain lines elsewhere. `isCapturing`: the run
 * goes on after its last slice.
 */
export class RunProgress implements Watch {
  readonly #output: Console;
  readonly #connection: Counted;
  readonly #effects: Effects;
  readonly #isCapturing: boolean;
  readonly #closing = new AbortController();
  readonly #stopListening: () => void;
  readonly #remaining = new RemainingRequests();
  /** Requests sent at recent ticks, the oldest first. */
  readonly #sent: { readonly ms: number; readonly requests: number }[] = [];
  #committer: Counting | undefined;
  #isFetching = false;
  #phase: Phase = 'lists';
  #hasLookUps = false;
  #total = 0;
  #done = 0;
  #waitUntilMs = Number.NEGATIVE_INFINITY;
  #replies = 0;
  #rejections = 0;
  #repliedMs: number;
  #lineMs: number;
  #lineEveryMs = FIRST_LINE_MS;
  #lastLine = '';

  constructor(output: Console, connection: Counted, effects: Effects, isCapturing = false) {
    this.#output = output;
    this.#isCapturing = isCapturing;
    this.#connection = connection;
    this.#effects = effects;
    this.#repliedMs = effects.now();
    this.#lineMs = this.#repliedMs;
    this.#stopListening = connection.onLongWait((wait) => {
      this.#waitUntilMs = Math.max(this.#waitUntilMs, wait.untilMs);
      output.note(`${waitText(wait)} Finished slices are committed, and the run continues then.`);
      this.#draw();
    });
  }

  planned(priced: PricedPlan): void {
    for (const line of planText(priced)) this.#output.note(line);
    for (const line of listLines(priced)) this.#effects.log('debug', line);
    const lists = priced.estimate.requests.filter(({ isFound }) => !isFound);
    this.#total = slicesOf(lists);
    this.#hasLookUps = lists.length < priced.estimate.requests.length;
    this.#remaining.add(lists);
    this.#isFetching = priced.plan.slices.length > 0 || this.#isCapturing;
    void this.#tick();
  }

  lookUpsPlanned({ requests }: Pick<Plan, 'requests'>): void {
    const slices = slicesOf(requests);
    if (slices === 0) return;
    this.#phase = 'look-ups';
    this.#total = slices;
    this.#done = 0;
    this.#remaining.add(requests);
    this.#output.note(`Keys found in landed rows: ${many(slices, 'slice')} to look up.`);
    this.#draw();
  }

  progressed(committer: Counting, planned: PlannedRequest, requests: number): void {
    this.#committer = committer;
    this.#done += 1;
    this.#remaining.ended(planned, requests);
    this.#draw();
  }

  loading(): void {
    this.close();
    this.#output.note('Publishing the warehouse ...');
  }

  close(): void {
    this.#isFetching = false;
    this.#stopListening();
    this.#closing.abort();
    this.#output.statusLine?.show('');
  }

  async #tick(): Promise<void> {
    while (this.#isFetching) {
      const { requests } = this.#connection.statistics();
      this.#sent.push({ ms: this.#effects.now(), requests });
      if (this.#sent.length > RATE_TICKS) this.#sent.shift();
      this.#draw();
      await this.#effects.sleep(TICK_MS, this.#closing.signal).catch(() => undefined);
    }
  }

  #draw(): void {
    if (!this.#isFetching) return;
    const { isTerminal, statusLine } = this.#output;
    const figures = this.#figures();
    if (isTerminal) statusLine?.show(statusText(figures, statusLine.columns));
    else this.#line(figures);
  }

  #line(figures: Figures): void {
    if (this.#effects.now() - this.#lineMs < this.#lineEveryMs) return;
    const { done, requests } = figures;
    if (this.#lastLine === `${done} ${requests}`) return;
    this.#lastLine = `${done} ${requests}`;
    this.#lineMs = this.#effects.now();
    this.#lineEveryMs = Math.min(LONGEST_LINE_MS, 2 * this.#lineEveryMs);
    this.#output.note(partsOf(figures).join(', '));
  }

  #figures(): Figures {
    const nowMs = this.#effects.now();
    const { requests, replies, rejections } = this.#connection.statistics();
    if (replies > this.#replies) {
      this.#repliedMs = nowMs;
      this.#rejections = rejections;
    }
    this.#replies = replies;
    const silence = rejections > this.#rejections ? 'throttled' : 'no reply';
    const [oldest = { ms: nowMs, requests }] = this.#sent;
    const perSecond = (requests - oldest.requests) / Math.max(1, (nowMs - oldest.ms) / 1000);
    const expected = this.#remaining.total();
    const waitMs = this.#waitUntilMs - nowMs;
    const silenceMs = nowMs - this.#repliedMs;
    const left =
      expected === undefined ? 0 : Math.max(this.#total - this.#done, expected - requests);
    return {
      phase: this.#phase,
      done: this.#done,
      total: this.#total,
      requests,
      expected: expected === undefined ? undefined : requests + left,
      perSecond,
      records: this.#committer?.counts().rowsFetched ?? 0,
      areLookUpsLeft: this.#phase === 'lists' && this.#hasLookUps,
      outlook:
        waitMs > 0
          ? `waiting ${durationText(waitMs)}`
          : this.#done === this.#total && this.#isCapturing
            ? 'capturing'
            : silenceMs > SILENCE_MS && this.#done < this.#total
              ? `${silence} for ${durationText(silenceMs)}`
              : leftText(left / perSecond),
    };
  }
}

type Phase = 'lists' | 'look-ups';

interface Figures {
  readonly phase: Phase;
  /** Slices of the phase. */
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  /** Requests of the run, without look-ups that are not known yet; undefined at first. */
  readonly expected: number | undefined;
  /** Recent requests per second. */
  readonly perSecond: number;
  /** Records read. Rows are counted when they have landed. */
  readonly records: number;
  readonly areLookUpsLeft: boolean;
  /** Time left, or the reason of a wait; '' if neither is known. */
  readonly outlook: string;
}

function slicesOf(requests: readonly PlannedRequest[]): number {
  return requests.reduce((sum, { slices }) => sum + slices.length, 0);
}

/** Time left at the recent rate; '' where it is not known. */
function leftText(seconds: number): string {
  if (!(seconds > 0 && Number.isFinite(seconds))) return '';
  return `${durationText(Math.max(1000, seconds * 1000))} left`;
}

/** Figures in order of importance. */
function partsOf(figures: Figures): string[] {
  const { phase, done, total, requests, expected, perSecond, records } = figures;
  const about = expected === undefined ? '' : `${counted(requests)} of about `;
  if (total === 0 && figures.outlook !== '') return [figures.outlook];
  return [
    `${phase} ${counted(done)}/${many(total, 'slice')}`,
    ...(figures.outlook === '' ? [] : [figures.outlook]),
    many(records, 'record'),
    `${about}${many(expected ?? requests, 'request')} at ${perSecond.toFixed(1)}/s`,
    ...(figures.areLookUpsLeft ? ['look-ups follow'] : []),
  ];
}

const SEPARATOR = ' | ';
const LEAST_BAR = 10;
const MOST_BAR = 30;

/** The figures that fit into this number of columns, with a bar if there is room. */
export function statusText(figures: Figures, columns: number): string {
  let parts = partsOf(figures);
  while (parts.length > 1 && parts.join(SEPARATOR).length > columns) parts = parts.slice(0, -1);
  const text = parts.join(SEPARATOR);
  const room = Math.min(MOST_BAR, columns - text.length - 1);
  if (room < LEAST_BAR) return text;
  const full = Math.floor((figures.done / Math.max(1, figures.total)) * room);
  return `${'█'.repeat(full)}${'░'.repeat(room - full)} ${text}`;
}
