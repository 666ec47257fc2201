import { endpointAt } from '../../catalogue/index.ts';
import type { Slice } from '../../coverage/slice.ts';
import { headRequest } from '../chain/heads.ts';
import { unlessRefused } from '../http/call-failure.ts';
import { type Caller, PRIORITY } from '../http/caller.ts';
import type { ListFacts } from '../walk/list-facts.ts';
import { readPage } from '../walk/pages.ts';
import type { SourceSettings } from '../walk/walk.ts';

/** Attempts to send a known question that the service refuses. */
const MAX_ASKS = 3;

export interface ListSource {
  readonly caller: Caller;
  readonly facts: ListFacts;
}

/** The reading of a slice in the page size of its list. */
export function readingOf({ caller, facts }: ListSource, slice: Slice, settings: SourceSettings) {
  const endpoint = slice.list.entry;
  const limit = facts.pageSize(endpoint.path, settings.pageSize);
  return { caller, endpoint, slice, settings, limit };
}

/** Whether a known question is answered with records; a service may refuse it for a while. */
export async function isKnownAnswered(
  source: ListSource,
  path: string,
  settings: SourceSettings,
): Promise<boolean> {
  for (let i = 0; i < MAX_ASKS; i += 1) {
    const answered = await askKnownQuestion(source, path, settings).catch(unlessRefused);
    if (answered !== undefined) return answered;
  }
  return false;
}

/**
 * Whether a question that must have records returns records. It is a question of the list, else of
 * another list of its axis, else the request for the newest block. Sends one request.
 */
export async function askKnownQuestion(
  { caller, facts }: ListSource,
  path: string,
  settings: SourceSettings,
): Promise<boolean> {
  const { axis } = endpointAt(path);
  const other = facts.allKnown().find(({ list }) => list.entry.axis === axis);
  const question = facts.knownQuestion(path) ?? other;
  if (question !== undefined) {
    const limit = question.list.entry.limits.pageSize?.default ?? 1;
    const reading = { ...readingOf({ caller, facts }, question, settings), limit };
    return (await readPage(reading, 1, 'has-records')).records.length > 0;
  }
  const { endpoint, query } = headRequest(axis, settings.chain);
  const options = { priority: PRIORITY.laterPage, signal: settings.signal };
  const onFalseEmpty = (): void => facts.sawAnswer(endpoint.path, false);
  const { records } = await caller.call(endpoint, query, { ...options, onFalseEmpty });
  facts.sawAnswer(endpoint.path, records.length > 0);
  return records.length > 0;
}
