import type { Endpoint } from '../../catalogue/entry.ts';
import type { WireRecord } from '../../catalogue/record.ts';

/** A reply as far as a walk looks at it; see the envelope for the whole. */
export interface PageReply {
  readonly records: readonly WireRecord[];
  /** Records of the page that are in no block, which were taken out of `records`. */
  readonly pending?: readonly WireRecord[];
  readonly page?: number;
  readonly limit?: number;
  readonly totalPage?: number;
  /** How many records the whole list has, where the reply says so. */
  readonly total?: number;
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
  /** The higher goes first; equal ones in the order of the calls. */
  readonly priority: number;
  readonly signal?: AbortSignal;
  /** It learns something of the whole list: no later walk of it has to ask that again. */
  readonly isAside?: true;
  /**
   * Records of it were listed before, so an empty answer is a false one. The caller is told of each
   * one and may ask again; the last one may still be returned.
   */
  readonly onFalseEmpty?: () => void;
}

/** First pages wait, so that walks that were begun get finished. */
export const PRIORITY = { firstPage: 0, laterPage: 1 };

export function callOptions(priority: number, signal: AbortSignal | undefined): CallOptions {
  return { priority, ...(signal === undefined ? {} : { signal }) };
}

/** A caller that counts what goes through it, but for what is asked aside. */
export interface CountingCaller extends Caller {
  /** Requests since the last look: what a walk like these will take again. */
  taken(): number;
}

export function counting(caller: Caller): CountingCaller {
  let requests = 0;
  return {
    call: (endpoint, query, options) => {
      if (options.isAside !== true) requests += 1;
      return caller.call(endpoint, query, options);
    },
    taken: () => {
      const taken = requests;
      requests = 0;
      return taken;
    },
  };
}
