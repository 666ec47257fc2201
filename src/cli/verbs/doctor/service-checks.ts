import { Coverage } from '../../../coverage/coverage.ts';
import type { Effects } from '../../../effects.ts';
import { Fault } from '../../../fault.ts';
import { readHead } from '../../../fetch/chain/heads.ts';
import type { Connection } from '../../../fetch/connect.ts';
import { CallFailure } from '../../../fetch/http/call-failure.ts';
import { faultOfCall } from '../../../fetch/http/call-fault.ts';
import { PRIORITY } from '../../../fetch/http/caller.ts';
import type { HttpSource } from '../../../fetch/transport/transport.ts';
import { queryOf } from '../../../fetch/walk/record-reader.ts';
import { axisSettings } from '../../../pipeline/axis-settings.ts';
import type { Pipeline } from '../../../pipeline/pipeline.ts';
import type { HeadsByAxis, PlannedRequest } from '../../../plan/plan.ts';
import { planSlices } from '../../../plan/slices.ts';
import { counted } from '../../terminal/console.ts';
import { type Diagnosis, failure, failureOfFault, fine, warning } from './diagnosis.ts';

/** Local and served time of the newest response. */
export interface ServedTime {
  /** The Date header, in milliseconds; NaN without one. */
  readonly servedMs: number;
  readonly sentMs: number;
  readonly receivedMs: number;
}

/** The source, with the times of its newest response. */
export function timed(
  source: HttpSource,
  effects: Pick<Effects, 'now'>,
): HttpSource & { newest(): ServedTime | undefined } {
  let newest: ServedTime | undefined;
  return {
    ...source,
    send: async (request, signal) => {
      const sentMs = effects.now();
      const response = await source.send(request, signal);
      const servedMs = Date.parse(response.headers['date'] ?? '');
      newest = { servedMs, sentMs, receivedMs: effects.now() };
      return response;
    },
    newest: () => newest,
  };
}

/** A Date header is up to a second old, and clocks within this are as good as equal. */
const CLOSE_MS = 3_000;

/** Compares the clock of this machine with the Date header of a response. */
export function checkClock(newest: ServedTime | undefined): Diagnosis {
  if (newest === undefined || Number.isNaN(newest.servedMs)) {
    return warning(
      'clock',
      'The service sends no Date header, so the clock cannot be compared.',
      'Make sure that the clock of this machine is set by NTP.',
    );
  }
  const middleMs = (newest.sentMs + newest.receivedMs) / 2;
  // The header has whole seconds, so the served time is half a second later on average.
  const offsetMs = newest.servedMs + 500 - middleMs;
  const seconds = Math.abs(offsetMs / 1000).toFixed(1);
  if (Math.abs(offsetMs) <= CLOSE_MS) {
    return fine('clock', 'The clock agrees with that of the service.');
  }
  const side = offsetMs > 0 ? 'behind' : 'ahead of';
  const finding = `The clock of this machine is ${seconds} s ${side} that of the service.`;
  const remedy = 'Set it by NTP, for instance with: timedatectl set-ntp true';
  return warning('clock', `${finding} Runs sign with the time of the service.`, remedy);
}

export interface ServiceToCheck {
  readonly pipeline: Pipeline;
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly connection: Pick<Connection, 'caller'>;
  readonly effects: Pick<Effects, 'now'>;
  readonly signal: AbortSignal;
}

export interface Reached {
  readonly diagnoses: readonly Diagnosis[];
  /** undefined if a head could not be read. */
  readonly heads: HeadsByAxis | undefined;
}

/** Reads the head of each chain of the pipeline: reachability and credentials. */
export async function checkHeads(options: ServiceToCheck): Promise<Reached> {
  const { pipeline, connection, effects, signal } = options;
  const heads: { -readonly [A in keyof HeadsByAxis]: HeadsByAxis[A] } = {};
  const diagnoses: Diagnosis[] = [];
  for (const axis of new Set(pipeline.requests.map(({ entry }) => entry.axis))) {
    const { chain, finalityLagBlocks } = axisSettings(pipeline, axis);
    const startedMs = effects.now();
    try {
      const read = await readHead(connection.caller, axis, { chain, finalityLagBlocks }, signal);
      heads[axis] = read;
      const head = read.head < 0 ? 'has no block yet' : `is at block ${counted(read.head)}`;
      const took = counted(effects.now() - startedMs);
      diagnoses.push(fine('service', `${chain} ${head}; the answer took ${took} ms.`));
    } catch (error) {
      return { diagnoses: [...diagnoses, unanswered(error, signal)], heads: undefined };
    }
  }
  return { diagnoses, heads };
}

function unanswered(error: unknown, signal: AbortSignal): Diagnosis {
  if (signal.aborted) {
    const remedy = 'Check source.url, firewalls and proxies; wait where it refused for the rate.';
    return failure('service', 'The service does not answer in time.', remedy);
  }
  const fault = error instanceof CallFailure ? faultOfCall(error) : error;
  const isRefusal = fault instanceof Fault && fault.kind === 'authentication';
  return failureOfFault(isRefusal ? 'credentials' : 'service', fault);
}

/** Blocks of the lists whose pages are tried. */
const TRIED_BLOCKS = 10;

/** Requests one page of each list in the page size of the pipeline. */
export async function checkPageSizes(options: ServiceToCheck, heads: HeadsByAxis) {
  const diagnoses: Diagnosis[] = [];
  const tried = new Set<string>();
  for (const planned of planOf(options, heads)) {
    const { list, pageSize, slices } = planned;
    if (slices.length === 0 || !Number.isFinite(pageSize) || tried.has(list.endpoint)) continue;
    tried.add(list.endpoint);
    const diagnosis = await tryPage(options, planned);
    if (diagnosis !== undefined) diagnoses.push(diagnosis);
    if (options.signal.aborted) break;
  }
  const isGood = diagnoses.length === 0;
  const noun = tried.size === 1 ? 'list accepts' : 'lists accept';
  return isGood ? [fine('page sizes', `${tried.size} ${noun} full pages.`)] : diagnoses;
}

/** The requests of given keys, over the newest safe blocks. */
function planOf({ pipeline, keys, effects }: ServiceToCheck, heads: HeadsByAxis) {
  const newest = (axis: keyof HeadsByAxis) => ({
    from: Math.max(0, (heads[axis]?.safe ?? 0) - TRIED_BLOCKS),
    to: 'safe' as const,
  });
  const requests = pipeline.requests
    .filter(({ foundIn }) => foundIn === undefined)
    .map(({ blocks: _, ...request }) => request);
  const near = { ...pipeline, requests, blocks: newest('primary'), zoneBlocks: newest('zone') };
  return planSlices({
    pipeline: near,
    keys: Object.fromEntries(Object.entries(keys).map(([name, all]) => [name, all.slice(0, 1)])),
    rowKeys: new Map(),
    coverage: new Coverage(),
    heads,
    densities: new Map(),
    nowMs: effects.now(),
  }).requests;
}

async function tryPage(
  { connection, pipeline, signal }: ServiceToCheck,
  { list, pageSize, slices }: PlannedRequest,
): Promise<Diagnosis | undefined> {
  const [slice] = slices;
  if (slice === undefined) return undefined;
  const { chain } = axisSettings(pipeline, list.entry.axis);
  const query = queryOf(list.entry, slice, { chain, page: 1, limit: pageSize });
  const remedy = `write pageSize under the request of ${list.endpoint}; 50 is a common limit.`;
  try {
    const options = { priority: PRIORITY.firstPage, signal };
    const { limit } = await connection.caller.call(list.entry, query, options);
    if (limit === undefined || limit === 0 || limit >= pageSize) return undefined;
    const finding = `${list.endpoint} lists ${limit} records per page, not ${pageSize}.`;
    return warning('page sizes', finding, `Runs learn this; or ${remedy}`);
  } catch (error) {
    const isRefusal = error instanceof CallFailure && error.outcome === 'permanent';
    if (!isRefusal) return unanswered(error, signal);
    const finding = `A page of ${pageSize} was refused: ${error.message}.`;
    return warning('page sizes', finding, `If the size is why, ${remedy}`);
  }
}
