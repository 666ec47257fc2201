import type { Endpoint } from '../../catalogue/entry.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import type { PostedBody } from './posted-body.ts';

/** A successful reply, whatever shape its endpoint has. Absent members are not in the reply. */
export interface PageReply {
  readonly records: readonly ListedRecord[];
  /** Pending records, which are in no block yet; they are not in `records`. */
  readonly pending?: readonly ListedRecord[];
  /** As echoed by the service. */
  readonly page?: number;
  readonly limit?: number;
  readonly totalPage?: number;
  /** The total number of records of the list, whatever its name on the wire. */
  readonly total?: number;
  /** The only value of a reply that is one text. */
  readonly text?: string;
}

/** Sends one request, with all its retries, and returns the reply or throws. */
export interface Caller {
  call(
    endpoint: Endpoint,
    query: Readonly<Record<string, string>>,
    options: CallOptions,
  ): Promise<PageReply>;
}

export interface CallOptions {
  /** Higher priorities are sent first, equal ones in the order of the calls. */
  readonly priority: number;
  readonly signal?: AbortSignal | undefined;
  /** The body of a POST. An `UncertainFailure` is thrown where it may have arrived. */
  readonly body?: PostedBody;
  /** The request learns a fact about the whole list, so later walks do not repeat it. */
  readonly isAside?: true;
  /**
   * Set where records were listed before, so that an empty answer is false. It is called for each
   * false empty answer before the request is sent again; the last empty answer may still be
   * returned.
   */
  readonly onFalseEmpty?: () => void;
}

/** First pages have the lower priority, so that started walks are finished first. */
export const PRIORITY = { firstPage: 0, laterPage: 1 };
