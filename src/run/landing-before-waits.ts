import type { Effects } from '../effects.ts';
import type { Connection } from '../fetch/connect.ts';
import type { LongWait } from '../fetch/http/patience.ts';
import type { Committer, Landing } from '../land/committer.ts';

interface LandingOptions {
  readonly committer: Committer;
  readonly effects: Effects;
  readonly connection: Pick<Connection, 'onLongWait'>;
}

/** Passes slices to the committer, and commits them when the service demands a long wait. */
export class LandingBeforeWaits {
  readonly #options: Pick<LandingOptions, 'committer' | 'effects'>;
  readonly #stopListening: () => void;
  #waitUntilMs = Number.NEGATIVE_INFINITY;

  /** `onFailure` gets the error of a commit that no slice waits for. */
  constructor(options: LandingOptions, onFailure: (error: unknown) => void) {
    this.#options = options;
    this.#stopListening = options.connection.onLongWait(({ untilMs }: LongWait) => {
      this.#waitUntilMs = Math.max(this.#waitUntilMs, untilMs);
      options.committer.flush().catch(onFailure);
    });
  }

  async add(landing: Landing): Promise<void> {
    const { committer, effects } = this.#options;
    await committer.add(landing);
    if (effects.now() < this.#waitUntilMs) await committer.flush();
  }

  close(): void {
    this.#stopListening();
  }
}
