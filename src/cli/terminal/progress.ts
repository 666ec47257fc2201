import { durationText } from '../../config/duration.ts';
import type { Effects } from '../../effects.ts';
import type { Connection } from '../../fetch/connect.ts';
import { waitText } from '../../fetch/http/patience.ts';
import type { Committer } from '../../land/committer.ts';
import type { PricedPlan, Watch } from '../../run/run.ts';
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

type Counting = Pick<Committer, 'counts'>;
type Counted = Pick<Connection, 'statistics' | 'onLongWait'>;

/** A watch that draws until it is closed. */
export interface RunWatch extends Watch {
  close(): void;
}

/** Shows a run on stderr: a status line on a terminal, plain lines elsewhere. */
export function runWatch(output: Console, connection: Counted, effects: Effects): RunWatch {
  return new Progress(output, connection, effects);
}

class Progress implements RunWatch {
  readonly #output: Console;
  readonly #connection: Counted;
  readonly #effects: Effects;
  readonly #closing = new AbortController();
  readonly #stopListening: () => void;
  #committer: Counting | undefined;
  #startedMs: number;
  #isFetching = false;
  /** Slices for found keys that `total` includes. */
  #foundSlices = 0;
  #total = 0;
  #done = 0;
  #waitUntilMs = Number.NEGATIVE_INFINITY;
  #replies = 0;
  #rejections = 0;
  #repliedMs: number;
  #lineMs: number;
  #lineEveryMs = FIRST_LINE_MS;
  #lastLine = '';

  constructor(output: Console, connection: Counted, effects: Effects) {
    this.#output = output;
    this.#connection = connection;
    this.#effects = effects;
    this.#startedMs = effects.now();
    this.#repliedMs = this.#startedMs;
    this.#lineMs = this.#startedMs;
    this.#stopListening = connection.onLongWait((wait) => {
      this.#waitUntilMs = Math.max(this.#waitUntilMs, wait.untilMs);
      output.note(`${waitText(wait)} Finished slices are committed, and the run continues then.`);
      this.#draw();
    });
  }

  planned(priced: PricedPlan): void {
    for (const line of planText(priced)) this.#output.note(line);
    for (const line of listLines(priced)) this.#effects.log('debug', line);
    const { requests, slices } = priced.plan;
    this.#total = slices.length;
    const found = requests.filter(({ isFound }) => isFound).flatMap((each) => each.slices);
    this.#foundSlices = found.length;
    this.#startedMs = this.#effects.now();
    this.#isFetching = this.#total > 0;
    void this.#tick();
  }

  found(slices: number): void {
    // The plan counts the slices for keys that were known when it was made.
    const more = slices - this.#foundSlices;
    this.#total += more;
    this.#foundSlices = slices;
    if (more > 0)
      this.#output.note(`Keys found in landed rows: ${many(more, 'more slice')} to fetch.`);
    this.#draw();
  }

  progressed(committer: Counting): void {
    this.#committer = committer;
    this.#done += 1;
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
    const elapsedMs = nowMs - this.#startedMs;
    const waitMs = this.#waitUntilMs - nowMs;
    const silenceMs = nowMs - this.#repliedMs;
    return {
      done: this.#done,
      total: this.#total,
      requests,
      perSecond: requests / Math.max(1, elapsedMs / 1000),
      rows: this.#committer?.counts().rowsFetched ?? 0,
      outlook:
        waitMs > 0
          ? `waiting ${durationText(waitMs)}`
          : silenceMs > SILENCE_MS
            ? `${silence} for ${durationText(silenceMs)}`
            : leftText(this.#done, this.#total, elapsedMs),
    };
  }
}

interface Figures {
  readonly done: number;
  readonly total: number;
  readonly requests: number;
  readonly perSecond: number;
  readonly rows: number;
  /** Time left, or the reason of a wait; '' if neither is known. */
  readonly outlook: string;
}

/** Time left at the rate so far; '' until 5 % of the slices are done. */
function leftText(done: number, total: number, elapsedMs: number): string {
  if (done === 0 || done < total / 20 || done >= total) return '';
  return `${durationText(Math.max(1000, (elapsedMs / done) * (total - done)))} left`;
}

/** Figures in order of importance. */
function partsOf({ done, total, requests, perSecond, rows, outlook }: Figures): string[] {
  return [
    `${counted(done)}/${many(total, 'slice')}`,
    ...(outlook === '' ? [] : [outlook]),
    many(rows, 'row'),
    `${many(requests, 'request')} at ${perSecond.toFixed(1)}/s`,
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
