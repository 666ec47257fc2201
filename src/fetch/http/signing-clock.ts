/** More than the number of targets that can be signed within one millisecond. */
const REMEMBERED_TARGETS = 1024;

/**
 * Gives every signature of the same target a different time. The same bytes at the same time would
 * have the same signature, which a service may refuse as a replay.
 */
export class SigningClock {
  /** Time of the last signature of each recent target, oldest first. */
  readonly #signedAtMs = new Map<string, number>();

  /** Clears the times, which came from a wrong clock. */
  corrected(): void {
    this.#signedAtMs.clear();
  }

  /** The time, or the first later millisecond that this target was not signed with. */
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
