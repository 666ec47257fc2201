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
  /** How a sample response spells the same answer, which a client must read alike. */
  readonly sample?: {
    /** Members by their documented names, with those of the sample. */
    readonly spelled?: Readonly<Record<string, string>>;
    /** Members that have another value in the sample. */
    readonly values?: Readonly<Record<string, unknown>>;
    /** Members that the sample leaves out. */
    readonly absent?: readonly string[];
    /** Columns that only the sample leaves out. */
    readonly missing?: readonly string[];
  };
}

/** The body of an answer without an error. */
export function reply(...data: readonly unknown[]) {
  return { code: '0', msg: '', data };
}

/** The response as the sample of its exchange spells it. */
export function sampleOf({ response, sample = {} }: Exchange): unknown {
  const { spelled = {}, values = {}, absent = [] } = sample;
  const respelled = (_: string, value: unknown): unknown => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const members = Object.entries(value).filter(([name]) => !absent.includes(name));
    return Object.fromEntries(
      members.map(([name, member]) => [spelled[name] ?? name, values[name] ?? member]),
    );
  };
  return JSON.parse(JSON.stringify(response, respelled));
}
