import type { Slice } from '../../coverage/slice.ts';
import type { FetchedPart } from '../../coverage/slice-part.ts';
import type { Effects } from '../../effects.ts';
import type { Connection } from '../connect.ts';
import type { Destination } from './destination.ts';
import { EmptyAnswers } from './empty-answers.ts';
import type { EmptyAnswersOptions } from './empty-part.ts';
import { ListEnds } from './list-ends.ts';
import { PartsDigest, SameAnswers } from './same-answers.ts';

/** The pause before a run without any record reads its lists again. */
const SILENCE_MS = 5_000;

/** Lands each part of a run once other answers of the service agree with it. */
export class Corroboration {
  readonly #empty: EmptyAnswers;
  readonly #ends: ListEnds;
  readonly #same = new SameAnswers();

  constructor(options: EmptyAnswersOptions) {
    this.#empty = new EmptyAnswers(options);
    this.#ends = new ListEnds(options);
  }

  /** Lands each part of a slice, immediately or after it is corroborated. */
  async takeAll(slice: Slice, parts: AsyncIterable<FetchedPart>, to: Destination): Promise<void> {
    const digest = new PartsDigest(slice);
    const edges = to.settings.facts.edges(slice.list.endpoint);
    for await (const part of parts) {
      digest.add(part);
      if (part.status === 'failed') to.fail(part, part.reason);
      else {
        this.#ends.add(part, to);
        await this.#empty.take(part, to, edges);
      }
    }
    const refutation = this.#same.refutedBy(slice, digest.text(), to);
    if (refutation === undefined) return;
    const { reason, answers } = refutation;
    for (const { slice: other, land } of answers) {
      this.#empty.forget(other);
      const nothing = { slice: other, records: [], pending: [], requests: 0 };
      await land({ ...nothing, status: 'inconsistent', reason }, 'refuting');
    }
  }

  /** Completes a stage of the run; see `EmptyAnswers.settle`. */
  async settle(isStopped: boolean): Promise<void> {
    await this.#empty.settle(isStopped);
    if (!isStopped) await this.#ends.settle();
  }
}

/**
 * The one Corroboration that all stages of a run share. `session` has the counts of earlier runs
 * over the same connection.
 */
export function corroborationOf(
  { caller, facts }: Pick<Connection, 'caller' | 'facts'>,
  effects: Pick<Effects, 'random' | 'log' | 'sleep'>,
  session?: EmptyAnswersOptions['session'],
): Corroboration {
  return new Corroboration({
    ...(session === undefined ? {} : { session }),
    caller,
    facts,
    random: () => effects.random(),
    pause: () => effects.sleep(SILENCE_MS),
    onSuspect: (reason) => effects.log('warn', `Empty answers are read again: ${reason}.`),
  });
}
