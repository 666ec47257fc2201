/** More targets than can be signed within one millisecond. */
const REMEMBERED_TARGETS = 1024;

/**
 * Gives every signature of the same target a time of its own. The same bytes at the same time have
 * the same signature, and a service may refuse it as a replay.
 */
export class SigningClock {
  /** When each of the latest targets was last signed, oldest first. */
  readonly #signedAtMs = new Map<string, number>();

  /** Starts over: the times before were those of a wrong clock, and no request was granted. */
  corrected(): void {
    this.#signedAtMs.clear();
  }

  /** The time, or the first millisecond after it that this target was not signed with. */
  unused(target: string, timeMs: number): number {
    const last = this.#signedAtMs.get(target);
    const unusedMs = last === undefined ? timeMs : Math.max(timeMs, last + 1);
    this.#signedAtMs.delete(target);
    this.#signedAtMs.set(target, unusedMs);
    const [oldest] = this.#signedAtMs.keys();
    if (this.#signedAtMs.size > REMEMBERED_TARGETS && oldest !== undefined) {
      this.#signedAtMs.delete(oldest);
    }
    return unusedMs;
  }
}
