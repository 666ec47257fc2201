import type { Effects } from '../../effects.ts';
import type { PaceCell } from './cell/pace-cell.ts';
import { failed, grow, openAtMs, type PaceOptions, take } from './pace.ts';
import { newPace, type PaceRecord } from './pace-record.ts';
import type { SentRequest } from './rate-probe.ts';

/** A request that may leave at its time. */
interface Turn {
  readonly atMs: number;
  readonly sent: SentRequest;
}

/** Changes the pace by the outcome of a request, which was reported at `nowMs`. */
export type OutcomeReport = (pace: PaceRecord, nowMs: number, options: PaceOptions) => void;

/** A process that begins takes over a pace that another one has used in this time. */
const CURRENT_MS = 10_000;
/** Times further ahead come from a clock that was set back, or from a damaged file. */
const AHEAD_MS = 2000;
/** Later turns are given up: a process that was stopped would use them beside those of others. */
const LATE_MS = 500;
/** Places are taken this many visits before they are due, so that every process gets some. */
const VISITS_AHEAD = 2;
/** Longer visits, as of a clock that was set, count as visits of this duration. */
const LONGEST_VISIT_MS = 250;
/** The pace is visited at least this often while requests wait, because the rate may have risen. */
const LONGEST_MS = 1000;

/**
 * The pace of a key for one process. A visit to its cell reports outcomes and takes turns; later
 * turns of any process come after them. A process has the turns of one visit at most, so processes
 * share the rate by arrival.
 */
export class KeyPace {
  /** The pace as of the last visit. */
  pace: PaceRecord;
  turns: Turn[] = [];
  /** Time of the next visit if there is no turn. */
  visitAtMs = 0;
  isVisiting = false;
  /** Whether the other processes must have an outcome at once. */
  isUrgent = false;
  #outcomes: ((pace: PaceRecord) => void)[] = [];
  #hasVisited = false;
  /** Duration of recent visits, on average. */
  #tookMs = 0;
  readonly #cell: PaceCell<PaceRecord>;
  readonly #effects: Pick<Effects, 'now' | 'log'>;
  readonly #options: PaceOptions;

  constructor(
    cell: PaceCell<PaceRecord>,
    ceilingPerSecond: number | undefined,
    options: PaceOptions,
    effects: Pick<Effects, 'now' | 'log'>,
  ) {
    this.#cell = cell;
    this.#effects = effects;
    this.#options = options;
    this.pace = newPace(options.startPerSecond, ceilingPerSecond, effects.now());
  }

  /** Gives up turns that no request needs, late ones, and those of a clock that was set back. */
  keepTurns(count: number, nowMs: number): void {
    this.#dropTurns(({ atMs }, at) => {
      return at >= count || atMs > nowMs + AHEAD_MS || atMs < nowMs - LATE_MS;
    });
  }

  /** Requests in flight that end, and are followed by others, within a visit. */
  returning(inFlight: number): number {
    const { medianLatencyMs } = this.pace.throughput;
    return Math.floor(inFlight * Math.min(1, this.#cell.visitMs / Math.max(1, medianLatencyMs)));
  }

  isVisitDue(nowMs: number): boolean {
    return this.visitAtMs <= nowMs || this.visitAtMs > nowMs + AHEAD_MS;
  }

  /** Keeps an outcome for the next visit. */
  report(outcome: OutcomeReport, isUrgent: boolean): void {
    const nowMs = this.#effects.now();
    this.#outcomes.push((pace) => outcome(pace, nowMs, this.#options));
    this.isUrgent ||= isUrgent;
  }

  /**
   * Reports the outcomes, and takes turns that are due for the `waiting` requests and for those
   * that follow the ones in flight. Rejects with a Fault where the cell cannot be reached.
   */
  async visit(waiting: number, inFlight: number): Promise<void> {
    this.isVisiting = true;
    this.isUrgent = false;
    const startMs = this.#effects.now();
    const outcomes = this.#outcomes;
    this.#outcomes = [];
    const least = waiting - this.turns.length;
    let turns: Turn[] = [];
    const visiting = this.#cell.update((stored) => {
      const nowMs = this.#effects.now();
      const pace = this.#current(stored, nowMs);
      for (const outcome of outcomes) outcome(pace);
      pace.visitedMs = nowMs;
      // Where other processes wait for the rate, no turn is taken before it is asked for.
      const isFree = pace.lastMs + 1000 / pace.rate < nowMs;
      const more = isFree && least > 0 ? this.returning(inFlight) : 0;
      turns = this.#turnsIn(pace, nowMs, least + more);
      this.pace = pace;
      return pace;
    });
    await visiting.finally(() => {
      this.isVisiting = false;
    });
    this.#hasVisited = true;
    const tookMs = Math.max(0, Math.min(this.#effects.now() - startMs, LONGEST_VISIT_MS));
    this.#tookMs += (tookMs - this.#tookMs) / 8;
    const { epoch, blockedUntilMs } = this.pace;
    this.#dropTurns(({ atMs, sent }) => sent.epoch !== epoch || atMs < blockedUntilMs);
    this.turns.push(...turns);
  }

  /** The stored pace; or a new one, if that is missing, of an earlier run or of a wrong time. */
  #current(stored: PaceRecord | undefined, nowMs: number): PaceRecord {
    if (stored === undefined) return structuredClone(this.pace);
    const latestMs = Math.max(stored.visitedMs, stored.lastMs);
    if (latestMs > nowMs + AHEAD_MS) {
      const used = `${this.#cell.where} was last used at ${new Date(latestMs).toISOString()}`;
      const reason = 'which is in the future: the clock was set back. The rate begins again.';
      this.#effects.log('warn', `The rate in ${used}, ${reason}`);
      return newPace(this.#options.startPerSecond, stored.ceiling, nowMs);
    }
    // The first request of a process learns how long the source asks to wait.
    const isBlocked = stored.blockedUntilMs > nowMs + CURRENT_MS;
    if (isBlocked && !this.#hasVisited) stored.blockedUntilMs = nowMs;
    const isCurrent = this.#hasVisited || stored.visitedMs > nowMs - CURRENT_MS;
    return isCurrent ? stored : structuredClone(this.pace);
  }

  /** Takes up to `most` turns that are due, and sets the time of the next visit. */
  #turnsIn(pace: PaceRecord, nowMs: number, most: number): Turn[] {
    this.visitAtMs = nowMs;
    const turns: Turn[] = [];
    if (most <= 0) return turns;
    grow(pace, nowMs, this.#options);
    const visitMs = Math.max(this.#cell.visitMs, 2 * this.#tookMs);
    const rate = Math.min(pace.rate, this.#options.maxPerSecond);
    const worth = 1 + Math.floor((rate * visitMs) / 1000);
    for (;;) {
      // Turns that are due before the visit ends would leave together.
      const atMs = Math.max(nowMs + this.#tookMs, openAtMs(pace), pace.lastMs + 1000 / pace.rate);
      const dueMs = atMs - VISITS_AHEAD * visitMs;
      this.visitAtMs = Math.min(dueMs, nowMs + LONGEST_MS);
      if (dueMs > nowMs || turns.length === Math.min(most, worth)) return turns;
      turns.push({ atMs, sent: take(pace, atMs) });
    }
  }

  /** A trial among the dropped turns is repeated. */
  #dropTurns(isDropped: (turn: Turn, at: number) => boolean): void {
    const dropped = this.turns.filter(isDropped);
    if (dropped.length === 0) return;
    this.turns = this.turns.filter((turn) => !dropped.includes(turn));
    for (const { sent } of dropped) {
      this.report((pace, nowMs, { random }) => failed(pace, nowMs, sent, random), false);
    }
  }
}
