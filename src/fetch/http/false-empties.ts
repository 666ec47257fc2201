import type { PageReply } from './caller.ts';
import type { RefusedReply } from './envelope.ts';

const FALSE_EMPTY = 'false-empty';
/** Retries of one call after false empty answers; the next empty answer is returned. */
const MAX_FALSE_EMPTIES = 6;
/**
 * False empty answers slow the pacer down to this share of the rate at which the first one came. If
 * they continue below it, the rate is not their cause.
 */
const FLOOR = 0.2;

/** A call whose question was answered with records before, so that its answer must have records. */
export interface MustHaveRecords {
  /** undefined for all other calls. */
  readonly onFalseEmpty: (() => void) | undefined;
  falseEmpties: number;
}

/** Detects empty answers to questions that have records: throttling without a throttling code. */
export class FalseEmpties {
  /** The rate at the first false empty answer. */
  #firstPerSecond: number | undefined;

  /** The refusal for a false empty reply; undefined where the reply is accepted. */
  refusalOf(call: MustHaveRecords, { records }: PageReply): RefusedReply | undefined {
    if (call.onFalseEmpty === undefined || records.length > 0) return undefined;
    if (call.falseEmpties >= MAX_FALSE_EMPTIES) return undefined;
    call.falseEmpties += 1;
    call.onFalseEmpty();
    const message = 'an empty answer to a request that returned records before';
    return { outcome: 'throttle', code: FALSE_EMPTY, message };
  }

  /** The rate below which this refusal is not blamed on the rate. */
  floorOf({ code }: RefusedReply, ratePerSecond: number): number {
    if (code !== FALSE_EMPTY) return 0;
    this.#firstPerSecond ??= ratePerSecond;
    return FLOOR * this.#firstPerSecond;
  }
}
