import type { CoverageEntry } from '../../src/coverage/coverage.ts';
import { isSameList, type ListId, listKey } from '../../src/coverage/list.ts';
import { subtract } from '../../src/coverage/ranges.ts';
import type { PlannedRequest } from '../../src/plan/plan.ts';
import type { MemoryLake } from './memory-table.ts';
import { foundKeys, type KeysGiven, type Ran } from './model-run.ts';
import type { SmallChain } from './small-chain.ts';
import { RANKING, truthOf } from './truth.ts';
import type { RunCase } from './whole-case.ts';

/** Whether a run has said something of all that it was asked, and in the end reached it. */

/** What was asked, and neither has a status nor failed with a reason. */
export function silentGaps(lake: MemoryLake, run: RunCase, ran: Ran): string[] {
  if (!ran.isOver) return [];
  const findings: string[] = [];
  for (const { planned, key, entries } of askedOf(lake, run.keys, ran)) {
    const { request, list, interval } = planned;
    if (interval === undefined) continue;
    const ways = waysOf(planned);
    const failed = ran.failed
      .filter(({ slice, reason }) => {
        const isOurs = ways.some((way) => isSameList(way, slice.list));
        return isOurs && reason !== '' && slice.keys.includes(key);
      })
      .map(({ slice }) => slice.interval);
    for (const { from, to } of subtract(interval, [...entries, ...failed])) {
      const title = `${request.dataset} of ${listKey(list)}: ${key} ${from}-${to}`;
      findings.push(`${title} was asked and has no status`);
    }
  }
  return findings;
}

export interface Reached {
  readonly chain: SmallChain;
  readonly lake: MemoryLake;
  readonly run: RunCase;
  readonly ran: Ran;
  /** Most records that the service shows of one query on the primary chain. */
  readonly recordCap: number;
}

/** What is not complete after a run without faults, though no limit hides it. */
export function unreached(input: Reached): string[] {
  const { lake, run, ran } = input;
  if (!ran.isOver) return ['the last run did not end'];
  const findings = ran.failed.map(
    ({ slice, reason }) => `${slice.list.endpoint} failed: ${reason}`,
  );
  for (const { planned, key, entries } of askedOf(lake, run.keys, ran)) {
    if (planned.interval === undefined) continue;
    // One route may have read what another one could not.
    const reached = entries.filter((entry) => unjustified(input, planned, key, entry).length === 0);
    for (const { from, to } of subtract(planned.interval, reached)) {
      const here = entries.filter((entry) => entry.from <= to && entry.to >= from);
      findings.push(...here.flatMap((entry) => unjustified(input, planned, key, entry)));
    }
  }
  return [...findings, ...unreachedHashes(input)];
}

/** Hashes that rows name, and that were not looked up to the end. */
function unreachedHashes(input: Reached): string[] {
  const { lake, run, ran } = input;
  const rowKeys = foundKeys(lake, run.pipeline, run.keys);
  return ran.requests.flatMap((planned) => {
    const { request, list, interval, isFound } = planned;
    const { axis } = list.entry;
    const safe = ran.heads?.[axis]?.safe ?? 0;
    const keys = isFound && interval !== undefined ? (rowKeys.get(request) ?? []) : [];
    return keys.flatMap(({ key, height }) => {
      if (height >= safe || height < (interval?.from ?? 0)) return [];
      const entry = lake.coverage
        .get(list, key)
        .find((part) => part.from <= height && height <= part.to);
      if (entry === undefined) return [`${list.endpoint}: ${key} was found and has no status`];
      return unjustified(input, planned, key, entry);
    });
  });
}

function unjustified(
  { chain, recordCap }: Reached,
  planned: PlannedRequest,
  key: string,
  entry: CoverageEntry,
): string[] {
  const { list } = planned;
  const { from, to, status, reason } = entry;
  if (status === 'complete' || status === 'depth_limited') return [];
  const told = `${listKey(list)}: ${key} ${from}-${to} is ${status} (${reason})`;
  // Nothing shows how far a list reaches that has no record near the end of the range.
  const isUnshown = status === 'provisional' && reason.startsWith('the list has shown no record');
  if (isUnshown && !recordsIn(chain, entry).includes(key)) return [];
  if (status !== 'truncated') return [`${told} in the end`];
  // A list without bounds is as long as the chain, whatever part of it was asked for.
  const last = list.entry.list === 'positional' ? chain.heads.primary : to + 1;
  const lines = truthOf(chain, list.endpoint, list.variant, from, last);
  const records = lines.filter(({ keys }) => keys.includes(key)).length;
  // A cap is seen by page counts, so it seems lower by up to a page, which is half of it at most.
  const isHidden = records + Math.floor(recordCap / 2) > recordCap;
  return isHidden ? [] : [`${told} for ${records} of ${recordCap} records`];
}

/** The keys of the records of an entry's list and range. */
function recordsIn(chain: Reached['chain'], { endpoint, variant, from, to }: CoverageEntry) {
  return truthOf(chain, endpoint, variant, from, to).flatMap(({ keys }) => keys);
}

interface Asked {
  readonly planned: PlannedRequest;
  readonly key: string;
  /** By any way that the request may be asked. */
  readonly entries: readonly CoverageEntry[];
}

/** Every key that a run asked for by name, with what is known of it. */
function* askedOf(lake: MemoryLake, keySets: KeysGiven, ran: Ran): Generator<Asked> {
  for (const planned of ran.requests) {
    const { request, list, isFound } = planned;
    // A ranking that is young enough is not read again.
    if (isFound || list.entry !== request.entry || list.endpoint === RANKING) continue;
    const keys = request.keySet === undefined ? [''] : (keySets[request.keySet] ?? []);
    for (const key of keys) {
      const entries = waysOf(planned).flatMap((way) => lake.coverage.get(way, key));
      yield { planned, key, entries };
    }
  }
}

/** Every list that may answer for the planned one: the same filters of every route. */
function waysOf({ request, list: { variant } }: PlannedRequest): ListId[] {
  return [request, ...request.alternatives].map(({ entry }) => ({ endpoint: entry.path, variant }));
}
