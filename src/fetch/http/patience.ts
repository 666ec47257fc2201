import type { Effects } from '../../effects.ts';
import { durationText, momentText } from '../../pipeline/syntax/duration.ts';
import type { LongWait } from '../limits/admission.ts';
import type { RefusedReply } from './envelope.ts';

export interface PatienceOptions {
  readonly effects: Effects;
  /**
   * The longest accepted wait, 24 hours by default because some quotas are daily. Several waits in
   * a row may add up to 15 minutes more.
   */
  readonly maxWaitMs?: number | undefined;
  readonly onLongWait?: (wait: LongWait) => void;
  /**
   * Called when the service has granted no request for 15 minutes, without the waits it requested.
   */
  readonly onStarved: (refusal: RefusedReply) => void;
}

const DEFAULT_MAX_WAIT_MS = 86_400_000;
const STARVED_AFTER_MS = 15 * 60_000;
const LONG_WAIT_MS = 10_000;
/** The failure code for a requested wait that is longer than the accepted one. */
export const WAIT_TOO_LONG = 'wait-too-long';

/** Decides how long to wait for a source that throttles. */
export class Patience {
  readonly #options: PatienceOptions;
  /** Time of the first refusal since the last success; undefined where there is none. */
  #sinceMs: number | undefined;
  #askedUntilMs = Number.NEGATIVE_INFINITY;
  #starving: AbortController | undefined;

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /** The refusal that ends the source when the requested wait is too long; otherwise undefined. */
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
    const { code, message } = refusal;
    const reason = message === '' ? code : `${message} (${code})`;
    if (isNews) onLongWait?.({ waitMs, untilMs, reason });
    if (this.#starving === undefined) this.#starve();
    return undefined;
  }

  /** Called when the source grants a request, or when no call is open. */
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
        // A wait requested in the meantime extends the limit.
        if (this.#askedUntilMs > askedUntilMs) return this.#starve();
        this.relieved();
        const minutes = STARVED_AFTER_MS / 60_000;
        const message = `the service granted no request for ${minutes} minutes`;
        onStarved({ outcome: 'throttle', code: 'starved', message });
      },
      () => {},
    );
  }
}

function tooLong(waitMs: number, untilMs: number, maxWaitMs: number): RefusedReply {
  const message =
    `it asks to wait ${durationText(waitMs)}, until ${momentText(untilMs)}, ` +
    `but at most ${durationText(maxWaitMs)} are accepted`;
  return { outcome: 'stop', code: WAIT_TOO_LONG, message };
}

/** The announcement of a wait as one sentence. */
export function waitText({ waitMs, untilMs, reason, isOwn }: LongWait): string {
  const span = `${durationText(waitMs)}, until ${momentText(untilMs)}`;
  if (isOwn === true) return `The run waits ${span}: ${reason}.`;
  return `The service asks to wait ${span} (Retry-After): ${reason}.`;
}
