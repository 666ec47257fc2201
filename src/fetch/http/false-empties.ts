import type { RefusedReply, Reply } from './envelope.ts';

const FALSE_EMPTY = 'false-empty';
/** False empty answers of one call before the last of them is returned. */
const MAX_FALSE_EMPTIES = 6;
/**
 * False empty answers slow the pacer down to this share of the rate at which the first one came.
 * Where they go on below it, the rate is not their cause.
 */
const FLOOR = 0.2;

/** A call whose question was answered with records before. */
export interface MustHaveRecords {
  /** undefined for other calls. */
  readonly onFalseEmpty: (() => void) | undefined;
  falseEmpties: number;
}

/** Empty answers to questions that have records: throttling that does not say so. */
export class FalseEmpties {
  /** The rate at which the first one came. */
  #firstPerSecond: number | undefined;

  /** The refusal that an empty reply means; undefined where it is a reply. */
  refusalOf(call: MustHaveRecords, { records }: Reply): RefusedReply | undefined {
    if (call.onFalseEmpty === undefined || records.length > 0) return undefined;
    if (call.falseEmpties >= MAX_FALSE_EMPTIES) return undefined;
    call.falseEmpties += 1;
    call.onFalseEmpty();
    const message = 'an empty answer to a question that was answered with records before';
    return { outcome: 'throttle', code: FALSE_EMPTY, message };
  }

  /** The rate below which a refusal, met at a rate, has another cause than the rate. */
  floorOf({ code }: RefusedReply, ratePerSecond: number): number {
    if (code !== FALSE_EMPTY) return 0;
    this.#firstPerSecond ??= ratePerSecond;
    return FLOOR * this.#firstPerSecond;
  }
}
