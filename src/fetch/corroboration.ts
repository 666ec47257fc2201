import type { Effects } from '../effects.ts';
import type { Connection } from './connect.ts';
import { type Destination, EmptyAnswers, type EmptyAnswersOptions } from './empty-answers.ts';
import type { Fetched } from './fetch-slice.ts';
import { SameAnswers } from './same-answers.ts';

/** Lands the parts of a run, each once other answers of the service agree with it. */
export class Corroboration {
  readonly #empty: EmptyAnswers;
  readonly #same = new SameAnswers();

  constructor(options: EmptyAnswersOptions) {
    this.#empty = new EmptyAnswers(options);
  }

  /** Lands the part, now or once it is corroborated. */
  async take(part: Fetched, to: Destination): Promise<void> {
    const refutation = this.#same.refutedBy(part, to);
    if (refutation === undefined) return this.#empty.take(part, to);
    const { reason, others } = refutation;
    for (const other of others) {
      await other.land({ ...other.part, status: 'inconsistent', reason, requests: 0 }, 'refuting');
    }
    await to.land({ ...part, status: 'inconsistent', reason }, 'refuting');
  }

  /** Ends a stage of the run; see `EmptyAnswers.settle`. */
  settle(isStopped: boolean): Promise<void> {
    return this.#empty.settle(isStopped);
  }
}

/** One for all stages of a run. */
export function corroborationOf(
  { caller, facts }: Pick<Connection, 'caller' | 'facts'>,
  effects: Pick<Effects, 'random' | 'log'>,
): Corroboration {
  return new Corroboration({
    caller,
    facts,
    random: () => effects.random(),
    onSuspect: (reason) => effects.log('warn', `Empty answers are read again: ${reason}.`),
  });
}
