import type { Axis, Endpoint } from '../../catalogue/entry.ts';
import { datasetNamed, endpoints, fieldFor } from '../../catalogue/index.ts';
import type { ListedRecord } from '../../catalogue/record-text.ts';
import { EARLIEST_MS, LATEST_MS } from '../../catalogue/vocabulary.ts';
import { Fault } from '../../fault.ts';
import type { Heads } from '../../plan/plan.ts';
import { type Caller, PRIORITY } from '../http/caller.ts';
import { queryByRole } from '../http/request.ts';

export interface HeadSource {
  /** `chainShortName` on the axis. */
  readonly chain: string;
  readonly finalityLagBlocks: number;
}

/** The cheapest request of an axis that any chain with at least one block answers with a record. */
export function headRequest(
  axis: Axis,
  chain: string,
): { readonly endpoint: Endpoint; readonly query: Readonly<Record<string, string>> } {
  const endpoint = endpoints.find((entry) => entry.axis === axis && entry.servesHead === true);
  if (endpoint === undefined) throw new Error(`no endpoint serves the head of the ${axis} axis`);
  return { endpoint, query: queryByRole(endpoint, { chain, page: 1, limit: 1 }) };
}

/**
 * The newest height of an axis, and the safe height: the lowest height whose records may still
 * change. Sends one request. A zone chain that has no block yet has the head -1. Throws
 * Fault('refused') when the answer names no block.
 */
export async function readHead(
  caller: Caller,
  axis: Axis,
  source: HeadSource,
  signal?: AbortSignal,
): Promise<Heads> {
  const { endpoint, query } = headRequest(axis, source.chain);
  const options = { priority: PRIORITY.firstPage, signal };
  const { records, totalPage } = await caller.call(endpoint, query, options);
  const [newest] = records;
  // A zone chain may have no block yet. A primary chain without a block is a wrong chain name.
  if (axis === 'zone' && records.length === 0 && totalPage === 0) return { head: -1, safe: 0 };
  const head = newest?.height;
  if (head === undefined) {
    const field = fieldFor(endpoint, datasetNamed(endpoint.dataset).heightColumn)?.wire;
    const setting = axis === 'primary' ? 'source.chain' : 'source.zoneChain';
    throw new Fault('refused', `The service listed no block with a ${field}.`, {
      where: endpoint.path,
      advice: `Check ${setting} in the pipeline, and that the service has this chain.`,
    });
  }
  if (newest !== undefined) checkUnit(endpoint, newest, head);
  return { head, safe: Math.max(0, head - source.finalityLagBlocks) };
}

/** Throws Fault('refused') if the time of the block has another unit than `source.timeUnit`. */
function checkUnit(endpoint: Endpoint, block: ListedRecord, head: number): void {
  const field = fieldFor(endpoint, 'block_time')?.wire ?? '';
  // A time in microseconds is odd.
  const time = Number(block.valueIn('block_time') ?? block.deviation?.sent[field]);
  const isTime = (ms: number): boolean => ms >= EARLIEST_MS && ms <= LATEST_MS;
  const unit = isTime(time * 1000) ? 's' : isTime(time / 1000) ? 'ms' : undefined;
  if (unit === undefined || isTime(time)) return;
  const name = unit === 's' ? 'seconds' : 'milliseconds';
  throw new Fault('refused', `The service gives times in ${name}: see block ${head}.`, {
    where: endpoint.path,
    advice: `Set source.timeUnit: ${unit} in the pipeline.`,
  });
}

/**
 * The lowest of several readings of the head, one request each. A load-balanced address may lead to
 * a replica that lags, and blocks missing there must not count as final.
 */
export async function readLowestHead(
  caller: Caller,
  axis: Axis,
  source: HeadSource & { readonly readings: number },
  signal?: AbortSignal,
): Promise<Heads> {
  let lowest = await readHead(caller, axis, source, signal);
  for (let reading = 1; reading < source.readings; reading += 1) {
    const heads = await readHead(caller, axis, source, signal);
    if (heads.head < lowest.head) lowest = heads;
  }
  return lowest;
}
