import { durationText, momentText } from '../../config/duration.ts';
import type { Effects } from '../../effects.ts';
import type { RefusedReply } from './envelope.ts';

/** A wait that the service asks for with Retry-After, long enough to be announced. */
export interface LongWait {
  readonly waitMs: number;
  /** Milliseconds since the Unix epoch, by the clock of this machine. */
  readonly untilMs: number;
  /** The code and the message that the service gave, without secrets. */
  readonly reason: string;
}

export interface PatienceOptions {
  readonly effects: Effects;
  /**
   * The longest wait that is accepted; also, with 15 minutes more, of several in a row. A day by
   * default, for quotas that are counted by the day.
   */
  readonly maxWaitMs?: number;
  readonly onLongWait?: (wait: LongWait) => void;
  /** The service has granted nothing for 15 minutes beside the waits that it asked for. */
  readonly onStarved: (refusal: RefusedReply) => void;
}

const DEFAULT_MAX_WAIT_MS = 86_400_000;
const STARVED_AFTER_MS = 15 * 60_000;
const LONG_WAIT_MS = 10_000;
/** The code of a failure because the service asks for a longer wait than is accepted. */
export const WAIT_TOO_LONG = 'wait-too-long';

/** How long a source that throttles is waited for. */
export class Patience {
  readonly #options: PatienceOptions;
  /** When the source began to refuse; undefined while it grants. */
  #sinceMs: number | undefined;
  #askedUntilMs = Number.NEGATIVE_INFINITY;
  #starving: AbortController | undefined;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** The refusal that ends the source where it asks for too long a wait, else undefined. */
  refused(refusal: RefusedReply): RefusedReply | undefined {
    const { effects, maxWaitMs = DEFAULT_MAX_WAIT_MS, onLongWait } = this.#options;
    const nowMs = effects.now();
    this.#sinceMs ??= nowMs;
    const { retryAfterMs: waitMs = 0 } = refusal;
    const untilMs = nowMs + waitMs;
    const isInVain = untilMs - this.#sinceMs > maxWaitMs + STARVED_AFTER_MS;
    if (waitMs > maxWaitMs || (waitMs > 0 && isInVain)) return tooLong(waitMs, untilMs, maxWaitMs);
    const isNews = untilMs - Math.max(nowMs, this.#askedUntilMs) >= LONG_WAIT_MS;
    if (waitMs > 0) this.#askedUntilMs = Math.max(this.#askedUntilMs, untilMs);
    if (isNews) onLongWait?.({ waitMs, untilMs, reason: reasonOf(refusal) });
    if (this.#starving === undefined) this.#starve();
    return undefined;
  }

  /** The source does its work, or is not asked any more. */
  relieved(): void {
    this.#sinceMs = undefined;
    this.#starving?.abort();
    this.#starving = undefined;
  }

  #starve(): void {
    const { effects, onStarved } = this.#options;
    const starving = new AbortController();
    this.#starving = starving;
    const delayMs = Math.max(effects.now(), this.#askedUntilMs) - effects.now() + STARVED_AFTER_MS;
    const askedUntilMs = this.#askedUntilMs;
    effects.sleep(delayMs, starving.signal).then(
      () => {
        // A wait that was asked for meanwhile is not held against the source.
        if (this.#askedUntilMs > askedUntilMs) return this.#starve();
        this.relieved();
        const minutes = STARVED_AFTER_MS / 60_000;
        const message = `nothing was granted for ${minutes} minutes`;
        onStarved({ outcome: 'throttle', code: 'starved', message });
      },
      () => {},
    );
  }
}

function reasonOf({ code, message }: RefusedReply): string {
  return message === '' ? code : `${message} (${code})`;
}

function tooLong(waitMs: number, untilMs: number, maxWaitMs: number): RefusedReply {
  const message =
    `it asks to wait ${durationText(waitMs)}, until ${momentText(untilMs)}, ` +
    `where at most ${durationText(maxWaitMs)} are accepted`;
  return { outcome: 'stop', code: WAIT_TOO_LONG, message };
}

/** The announcement of a wait, as one sentence. */
export function waitText({ waitMs, untilMs, reason }: LongWait): string {
  const span = `${durationText(waitMs)}, until ${momentText(untilMs)}`;
  return `The service asks to wait ${span} (Retry-After): ${reason}.`;
}
