import type { Endpoint } from '../../catalogue/entry.ts';
import type { WireRecord } from '../../catalogue/record.ts';
import type { Slice } from '../../coverage/slice.ts';
import type { Caller, PageReply } from '../http/caller.ts';
import { identityOf, matchedKeys, textOf } from './wire.ts';

/**
 * Transactions that are in no block yet, in lists of transactions that are. They have no height, so
 * they lie in no interval and prove nothing about one; but they take up places on pages.
 */

/** Why a key that was answered with a pending record is asked again by the next run. */
export const PENDING_REASON = 'the transaction is pending: it is in no block yet';

/** Whether the record is in no block yet, by what its endpoint declares. */
export function isPending(endpoint: Endpoint, record: WireRecord): boolean {
  const { pending } = endpoint;
  if (pending === undefined) return false;
  const text = (column: string): string | undefined => textOf(endpoint, record, column);
  return (
    text(pending.state.column) === pending.is &&
    pending.absent.every(({ column }) => text(column) === undefined)
  );
}

/** How many records the page has, whether or not they are in a block: its pages are filled so. */
export function listedOn({ records, pending = [] }: PageReply): number {
  return records.length + pending.length;
}

/** A caller that remembers the pending records of the replies. */
export interface PendingCaller extends Caller {
  /** Those that name a key of the slice, each once, as they were listed last; never twice. */
  taken(slice: Slice): WireRecord[];
}

/**
 * A caller whose replies have their pending records beside the others, for the walks of one slice.
 * What names none of the keys asked, or has no identity, stays among the records: it is not what
 * was asked, or it is broken.
 */
export function partingPending(caller: Caller, of: Slice): PendingCaller {
  const listed = new Map<string, WireRecord>();
  return {
    async call(endpoint, query, options) {
      const reply = await caller.call(endpoint, query, options);
      if (endpoint.pending === undefined) return reply;
      const records: WireRecord[] = [];
      const pending: WireRecord[] = [];
      for (const record of reply.records) {
        const identity = isPending(endpoint, record) ? identityOf(endpoint, of, record) : undefined;
        if (identity === undefined || matchedKeys(endpoint, record, of).length === 0) {
          records.push(record);
        } else {
          pending.push(record);
          listed.set(identity, record);
        }
      }
      return pending.length === 0 ? reply : { ...reply, records, pending };
    },
    taken(slice) {
      const taken: WireRecord[] = [];
      for (const [identity, record] of listed) {
        if (matchedKeys(slice.list.entry, record, slice).length === 0) continue;
        taken.push(record);
        listed.delete(identity);
      }
      return taken;
    },
  };
}
