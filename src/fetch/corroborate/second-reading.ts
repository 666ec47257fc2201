import { type FetchedPart, hasNoRecords } from '../../coverage/slice-part.ts';
import { fetchSlice } from '../fetch-slice.ts';
import { CallFailure, isOfRequest } from '../http/call-failure.ts';
import { withdraw } from './destination.ts';
import { type EmptyPart, rangeOf } from './empty-part.ts';
import type { ListSource } from './known-question.ts';

/** Number of parts that are read again at the same time. */
const WORKERS = 8;

type TakeBack = (held: EmptyPart) => Promise<void>;

/**
 * Reads each part once more, lands those with records, returns those still empty. `takeBack` gets
 * the empty rest of a part that has records.
 */
export async function readOnce(
  source: ListSource,
  held: readonly EmptyPart[],
  takeBack: TakeBack,
): Promise<EmptyPart[]> {
  const empty: EmptyPart[] = [];
  const waiting = [...held];
  const work = async (): Promise<void> => {
    for (let part = waiting.shift(); part !== undefined; part = waiting.shift()) {
      const range = rangeOf(part);
      if (await landRecords(source, part, takeBack)) continue;
      empty.push({ ...part, range, pages: source.facts.pages });
    }
  };
  await Promise.all(Array.from({ length: WORKERS }, work));
  return empty;
}

/** Whether the slice has records after all; if so, they are landed. */
async function landRecords(
  { caller, facts }: ListSource,
  held: EmptyPart,
  takeBack: TakeBack,
): Promise<boolean> {
  const { part, settings, land, fail } = held;
  const parts: FetchedPart[] = [];
  try {
    for await (const again of fetchSlice(caller, part.slice, settings)) parts.push(again);
  } catch (error) {
    if (!(error instanceof CallFailure)) throw error;
    // Pages with records may have come before the failure.
    if (held.isLanded) await withdraw(held, `its second reading failed: ${error.message}`);
    if (!isOfRequest(error)) throw error;
    fail(part, error.message);
    return true;
  }
  const isProven = ({ status }: FetchedPart): boolean =>
    status === 'complete' || status === 'provisional';
  if (parts.every((part) => hasNoRecords(part) && isProven(part))) return false;
  if (held.isPiece !== true && parts.some((part) => !hasNoRecords(part))) {
    facts.sawAnswer(part.slice.list.endpoint, false);
  }
  for (const again of parts) {
    if (!hasNoRecords(again) || !isProven(again)) await land(again, 'refuting');
    // This part was empty in one answer only, and the service is known to give false ones.
    else await takeBack({ ...held, part: again });
  }
  return true;
}
