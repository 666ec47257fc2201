import type { Effects } from '../../effects.ts';
import { wordsOf } from '../../fault.ts';
import { type SignedRequest, signatureHeaders } from './request.ts';
import type { Credentials } from './signature.ts';

export interface SignerOptions {
  readonly headerPrefix: string;
  readonly effects: Pick<Effects, 'now' | 'log'>;
  /** Requests are signed only with credentials. */
  readonly credentials?: Credentials | undefined;
  /** Reads the credentials again after the service has refused a key that it had accepted. */
  readonly renewCredentials?: (() => Promise<Credentials | undefined>) | undefined;
}

/** Signs requests by the clock of the service, with credentials that may be renewed. */
export class Signer {
  readonly #options: SignerOptions;
  readonly #signingClock = new SigningClock();
  /** Server time minus local time; undefined until a timestamp is refused. */
  #clockOffsetMs: number | undefined;
  #credentials: Credentials | undefined;
  /** The credentials of the newest request that the service has accepted. */
  #accepted: Credentials | undefined;
  #renewal: Promise<void> | undefined;

  constructor(options: SignerOptions) {
    this.#options = options;
    this.#credentials = options.credentials;
  }

  /** Waits for a renewal that is under way. */
  async sign(method: 'GET' | 'POST', target: string, body: string): Promise<SignedRequest> {
    await this.#renewal;
    const [by, clockOffsetMs] = [this.#credentials, this.#clockOffsetMs];
    if (by === undefined) return { headers: {}, by, clockOffsetMs };
    const { headerPrefix, effects } = this.#options;
    const timeMs = this.#signingClock.unused(target, effects.now() + (clockOffsetMs ?? 0));
    const parts = { method, target, body };
    return { headers: signatureHeaders(parts, by, headerPrefix, timeMs), by, clockOffsetMs };
  }

  accepted({ by }: SignedRequest): void {
    this.#accepted = by;
  }

  /** Whether the next attempt will use another clock offset than the refused timestamp. */
  isClockCorrected(date: string | undefined, used: SignedRequest): boolean {
    if (this.#clockOffsetMs !== undefined) return used.clockOffsetMs !== this.#clockOffsetMs;
    const { effects } = this.#options;
    const servedMs = Date.parse(date ?? '');
    if (Number.isNaN(servedMs)) return false;
    this.#clockOffsetMs = servedMs - effects.now();
    this.#signingClock.corrected();
    const seconds = Math.round(this.#clockOffsetMs / 1000);
    effects.log(
      'warn',
      `the clock of the service differs by ${seconds} s; requests are signed with its time`,
    );
    return true;
  }

  /**
   * Whether the next attempt will use other credentials than the refused ones. Only a key that the
   * service had accepted is renewed, so a source that refuses every key ends.
   */
  async isRenewed({ by }: SignedRequest): Promise<boolean> {
    const { renewCredentials } = this.#options;
    if (by === undefined || renewCredentials === undefined) return false;
    if (by === this.#credentials) {
      if (this.#accepted !== by) return false;
      this.#renewal ??= this.#renew(by, renewCredentials);
      await this.#renewal;
    }
    return by !== this.#credentials;
  }

  async #renew(
    old: Credentials,
    renewCredentials: () => Promise<Credentials | undefined>,
  ): Promise<void> {
    const { effects } = this.#options;
    try {
      const renewed = await renewCredentials();
      if (renewed === undefined || isSameKey(renewed, old)) return;
      this.#credentials = renewed;
      effects.log('debug', 'The service refused the key, and its credentials were read again.');
    } catch (error) {
      const reason = wordsOf(error);
      effects.log('warn', `The credentials could not be read again: ${reason}`);
    } finally {
      this.#renewal = undefined;
    }
  }
}

function isSameKey(one: Credentials, other: Credentials): boolean {
  const [a, b] = [one, other].map((key) => {
    return JSON.stringify(Object.entries(key).map(([name, secret]) => [name, secret.reveal()]));
  });
  return a === b;
}

/** More than the number of targets that can be signed within one millisecond. */
const REMEMBERED_TARGETS = 1024;

/**
 * Gives every signature of the same target a different time. The same bytes at the same time would
 * have the same signature, which a service may refuse as a replay.
 */
class SigningClock {
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
