import type { Literal } from './asking.ts';

/**
 * One exchange typed by hand from the text of the interface, in both directions: the service must
 * answer it to the letter from the records, and the client must decode it into the same records.
 */
export interface Exchange extends Literal {
  /**
   * Which records of the first dataset the response lists, in its order; by default all of them as
   * they stand. Records of other datasets, and records beyond these, must not be listed.
   */
  readonly listed?: readonly number[];
  /** Columns that the records have, and that this operation says nothing of. */
  readonly unserved?: readonly string[];
  /** The head when the response was read, for records that carry no height. */
  readonly readAt?: number;
  /** The same answer as a sample response spells it, which a client must read alike. */
  readonly sample?: {
    readonly response: unknown;
    /** Columns that only the sample leaves out. */
    readonly missing?: readonly string[];
  };
}
