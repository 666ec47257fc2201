import type { Endpoint } from '../../catalogue/entry.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { Caller, PageReply } from '../http/caller.ts';
import { identityOf, matchedKeys } from './record-reader.ts';

/**
 * Pending transactions: transactions that are in no block yet, listed among those that are. They
 * have no height, so they belong to no interval and prove nothing about one; but they fill places
 * on pages.
 */

/** The reason of a key with a pending record; the next run requests the key again. */
export const PENDING_REASON = 'the transaction is pending: it is in no block yet';

/** Whether the record is pending, by the declaration of its endpoint. */
export function isPending(endpoint: Endpoint, record: ListedRecord): boolean {
  const { pending } = endpoint;
  if (pending === undefined) return false;
  const text = (column: string): string | undefined => record.valueIn(column);
  return (
    pending.absent.every(({ column }) => {
      return text(column) === undefined && !record.isOdd(column);
    }) && text(pending.state.column) === pending.is
  );
}

/** The number of records on the page, including pending ones: the page size counts both. */
export function listedOn({ records, pending = [] }: PageReply): number {
  return records.length + pending.length;
}

/** A caller that counts its requests and collects the pending records of its replies. */
export interface SliceCaller extends Caller {
  /**
   * The requests since the last call, without those with `isAside`: the cost of another walk of the
   * same kind. And the pending records that name a key of the slice, in their latest version, each
   * once.
   */
  taken(slice: Slice): { readonly requests: number; readonly pending: ListedRecord[] };
}

/**
 * Wraps a caller for the walks of one slice, and moves pending records from `records` to `pending`.
 * Records that name none of the requested keys, or have no identity, stay in `records`, because
 * they are wrong or broken.
 */
export function sliceCaller(caller: Caller, wholeSlice: Slice): SliceCaller {
  const listed = new Map<string, ListedRecord>();
  let requests = 0;
  return {
    async call(endpoint, query, options) {
      if (options.isAside !== true) requests += 1;
      const reply = await caller.call(endpoint, query, options);
      if (endpoint.pending === undefined) return reply;
      const records: ListedRecord[] = [];
      const pending: ListedRecord[] = [];
      for (const record of reply.records) {
        const identity = isPending(endpoint, record) ? identityOf(wholeSlice, record) : undefined;
        if (identity === undefined || matchedKeys(record, wholeSlice).length === 0) {
          records.push(record);
        } else {
          pending.push(record);
          listed.set(identity, record);
        }
      }
      return pending.length === 0 ? reply : { ...reply, records, pending };
    },
    taken(slice) {
      const taken = { requests, pending: [] as ListedRecord[] };
      requests = 0;
      for (const [identity, record] of listed) {
        if (matchedKeys(record, slice).length === 0) continue;
        taken.pending.push(record);
        listed.delete(identity);
      }
      return taken;
    },
  };
}
