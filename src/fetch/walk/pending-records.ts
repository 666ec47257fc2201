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

/** A caller that collects the pending records of its replies. */
export interface PendingCaller extends Caller {
  /**
   * The pending records that name a key of the slice, in their latest version. Each is returned
   * once.
   */
  taken(slice: Slice): ListedRecord[];
}

/**
 * Wraps a caller for the walks of one slice, and moves pending records from `records` to `pending`.
 * Records that name none of the requested keys, or have no identity, stay in `records`, because
 * they are wrong or broken.
 */
export function separatingPending(caller: Caller, wholeSlice: Slice): PendingCaller {
  const listed = new Map<string, ListedRecord>();
  return {
    async call(endpoint, query, options) {
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
      const taken: ListedRecord[] = [];
      for (const [identity, record] of listed) {
        if (matchedKeys(record, slice).length === 0) continue;
        taken.push(record);
        listed.delete(identity);
      }
      return taken;
    },
  };
}
