import { addressesIn } from '../../src/catalogue/column-kind.ts';
import { paramOf } from '../../src/catalogue/index.ts';
import { isSameList, listKey } from '../../src/coverage/list.ts';
import type { Slice } from '../../src/coverage/slice.ts';
import type { FetchedPart } from '../../src/coverage/slice-part.ts';
import { Fault } from '../../src/fault.ts';
import { readDepthLimit } from '../../src/fetch/chain/depth-limit.ts';
import { readHead } from '../../src/fetch/chain/heads.ts';
import { Corroboration } from '../../src/fetch/corroborate/corroboration.ts';
import type { LandsAs } from '../../src/fetch/corroborate/destination.ts';
import { fetchSlice } from '../../src/fetch/fetch-slice.ts';
import { CallFailure } from '../../src/fetch/http/call-failure.ts';
import type { Caller } from '../../src/fetch/http/caller.ts';
import type { ListFacts } from '../../src/fetch/walk/list-facts.ts';
import { tableColumns } from '../../src/land/rows/columns.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { PipelineRequest } from '../../src/pipeline/requests.ts';
import type { FoundKey, Heads, HeadsByAxis, Plan, PlannedRequest } from '../../src/plan/plan.ts';
import { planSlices } from '../../src/plan/slices.ts';
import type { Landed, MemoryLake } from './memory-table.ts';

/** One run of a pipeline over a lake in memory: the real planner, walks and rule of a commit. */

export type KeysGiven = Readonly<Record<string, readonly string[]>>;

export interface RunOptions {
  readonly pipeline: Pipeline;
  readonly keys: KeysGiven;
  readonly caller: Caller;
  readonly facts: ListFacts;
  readonly lake: MemoryLake;
  /** Slices under way at once. */
  readonly workers: number;
  /** Walks of one commit. */
  readonly batch: number;
  /** The run dies after so many walks, with what it has not committed. */
  readonly diesAfter?: number;
  /** Told of every walk. */
  readonly watch?: (line: string) => unknown;
}

export interface Failed {
  readonly slice: Slice;
  readonly reason: string;
}

export interface Ran {
  /** undefined where not even the heads could be read. */
  readonly heads: HeadsByAxis | undefined;
  readonly requests: readonly PlannedRequest[];
  readonly failed: readonly Failed[];
  readonly isOver: boolean;
  /** A question with known records was answered with an empty list. */
  readonly isSuspect: boolean;
  /** By status, of everything that was landed. */
  readonly statuses: ReadonlyMap<string, number>;
}

export async function runOnce(options: RunOptions): Promise<Ran> {
  const execution = new Execution(options);
  let heads: HeadsByAxis | undefined;
  const requests: PlannedRequest[] = [];
  try {
    heads = await headsOf(options);
    for (const isFound of [false, true]) {
      if (isFound && options.pipeline.requests.every(({ foundIn }) => foundIn === undefined)) break;
      const plan = onlyRequests(planNow(options, heads), isFound);
      requests.push(...plan.requests);
      await execution.execute(plan);
      execution.commit();
    }
  } catch (error) {
    // Without the heads a run ends before it has begun.
    const isRefused = error instanceof CallFailure || error instanceof Fault;
    if (!(error instanceof Died) && !(isRefused && heads === undefined)) throw error;
    return { heads, requests, ...execution.outcome, isOver: false };
  }
  return { heads, requests, ...execution.outcome, isOver: true };
}

class Died extends Error {}

class Execution {
  readonly #options: RunOptions;
  readonly #corroboration: Corroboration;
  readonly #failed: Failed[] = [];
  readonly #statuses = new Map<string, number>();
  #waiting: Landed[] = [];
  #walked = 0;
  #isSuspect = false;

  constructor(options: RunOptions) {
    this.#options = options;
    const { caller, facts } = options;
    const onSuspect = (): void => {
      this.#isSuspect = true;
    };
    const pause = async (): Promise<void> => undefined;
    this.#corroboration = new Corroboration({
      caller,
      facts,
      pause,
      random: () => 0.5,
      onSuspect,
    });
  }

  get outcome() {
    const isSuspect = this.#isSuspect || this.#options.facts.answers.false > 0;
    return { failed: this.#failed, statuses: this.#statuses, isSuspect };
  }

  commit(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#options.lake.commit(waiting);
  }

  async execute(plan: Plan): Promise<void> {
    let next = 0;
    const work = async (): Promise<void> => {
      for (let slice = plan.slices[next]; slice !== undefined; slice = plan.slices[next]) {
        next += 1;
        if (slice.unreachable === undefined) await this.#fetch(plan, slice);
        else {
          const reason = slice.unreachable;
          this.#land(plan, { slice, status: 'depth_limited', reason, records: [] });
        }
      }
    };
    const ends = await Promise.allSettled(Array.from({ length: this.#options.workers }, work));
    for (const end of ends) if (end.status === 'rejected') throw end.reason;
    await this.#corroboration.settle(false);
  }

  async #fetch(plan: Plan, slice: Slice): Promise<void> {
    const { pipeline, caller, facts, watch } = this.#options;
    const { axis } = slice.list.entry;
    const planned = plan.requests.find(({ list }) => isSameList(list, slice.list));
    const pageSize = planned?.pageSize ?? 1;
    const settings = {
      chain: axis === 'primary' ? pipeline.source.chain : pipeline.source.zoneChain,
      pageSize: Number.isFinite(pageSize) ? pageSize : 1,
      recordCap: pipeline.source.recordCap,
      facts,
      proof: pipeline.proof,
    };
    const fetched = fetchSlice(caller, slice, settings);
    const land = async (part: FetchedPart, as: LandsAs): Promise<void> => {
      this.#land(plan, { ...part, ...(as === 'new' ? {} : { refutes: true as const }) });
    };
    const fail = (part: FetchedPart, reason: string): void => {
      this.#failed.push({ slice: part.slice, reason });
    };
    try {
      const parts = watched(fetched, (part) => watch?.(told(part)));
      const head = plan.heads[axis]?.head ?? 0;
      await this.#corroboration.takeAll(slice, parts, { head, settings, land, fail });
    } catch (error) {
      if (!(error instanceof CallFailure)) throw error;
      this.#failed.push({ slice, reason: error.message });
    }
  }

  #land(plan: Plan, part: Omit<Landed, 'head'>): void {
    const { batch, diesAfter = Number.POSITIVE_INFINITY } = this.#options;
    if (this.#walked >= diesAfter) throw new Died();
    this.#walked += 1;
    this.#statuses.set(part.status, (this.#statuses.get(part.status) ?? 0) + 1);
    const head = plan.heads[part.slice.list.entry.axis]?.head ?? 0;
    this.#waiting.push({ ...part, head });
    if (this.#waiting.length >= batch) this.commit();
  }
}

async function* watched(
  parts: AsyncIterable<FetchedPart>,
  see: (part: FetchedPart) => unknown,
): AsyncGenerator<FetchedPart> {
  for await (const part of parts) {
    see(part);
    yield part;
  }
}

function told({ slice, status, reason, records }: Omit<Landed, 'head'>): string {
  const { list, keys, interval } = slice;
  const title = `${listKey(list)} ${keys} ${interval.from}-${interval.to}`;
  return `${title}: ${status} (${reason}), ${records.length} records`;
}

async function headsOf({ pipeline, caller }: RunOptions): Promise<HeadsByAxis> {
  const { source, requests, blocks } = pipeline;
  const entries = requests.flatMap(({ entry, alternatives }) => [
    entry,
    ...alternatives.map((route) => route.entry),
  ]);
  const axes = new Set(entries.map(({ axis }) => axis));
  const heads: { primary?: Heads; zone?: Heads } = {};
  if (axes.has('zone')) {
    const { zoneChain: chain, finalityLagZoneBlocks: finalityLagBlocks } = source;
    heads.zone = await readHead(caller, 'zone', { chain, finalityLagBlocks });
  }
  if (!axes.has('primary')) return heads;
  heads.primary = await readHead(caller, 'primary', source);
  const [years] = entries.flatMap(({ limits }) => limits.depthYears ?? []);
  const { head } = heads.primary;
  if (years === undefined || blocks.from > head) return heads;
  const depthLimit = await readDepthLimit(caller, {
    chain: source.chain,
    from: blocks.from,
    head,
    years,
  });
  return { ...heads, primary: { ...heads.primary, depthLimit } };
}

function planNow({ pipeline, keys, lake }: RunOptions, heads: HeadsByAxis): Plan {
  return planSlices({
    pipeline,
    keys,
    heads,
    rowKeys: foundKeys(lake, pipeline, keys),
    coverage: lake.coverage,
    densities: new Map(),
    nowMs: lake.nowMs,
  });
}

function onlyRequests(plan: Plan, isFound: boolean): Plan {
  const requests = plan.requests.filter((planned) => planned.isFound === isFound);
  const wanted = new Set(requests.flatMap(({ slices }) => slices));
  return { ...plan, requests, slices: plan.slices.filter((slice) => wanted.has(slice)) };
}

/** What the rows name, for every request that asks for what others have found. */
export function foundKeys(
  lake: MemoryLake,
  pipeline: Pipeline,
  keys: KeysGiven,
): ReadonlyMap<PipelineRequest, readonly FoundKey[]> {
  const rowKeys = new Map<PipelineRequest, readonly FoundKey[]>();
  for (const request of pipeline.requests) {
    if (request.foundIn !== undefined) rowKeys.set(request, keysFor(lake, pipeline, keys, request));
  }
  return rowKeys;
}

function keysFor(
  lake: MemoryLake,
  { requests }: Pipeline,
  keys: KeysGiven,
  { entry, foundIn, lists }: PipelineRequest,
): FoundKey[] {
  const [column = ''] = paramOf(entry, 'keys')?.columns ?? [];
  const heights = new Map<string, number>();
  for (const finder of requests) {
    if (finder.foundIn !== undefined || foundIn?.datasets.includes(finder.dataset) !== true)
      continue;
    const at = tableColumns(finder.dataset).findIndex(({ name }) => name === column);
    const members = finder.keySet === undefined ? undefined : keys[finder.keySet];
    for (const route of [finder, ...finder.alternatives]) {
      for (const list of route.lists) {
        for (const { row, ...by } of lake.rows) {
          if (!isSameList(by, list)) continue;
          const isKeyed = list.keyColumns !== undefined;
          if (isKeyed && !row.touches.some((key) => members?.includes(key))) continue;
          const cell = row.cells[at];
          for (const key of typeof cell === 'string' ? addressesIn(cell) : []) {
            heights.set(key, Math.max(row.height, heights.get(key) ?? 0));
          }
        }
      }
    }
  }
  return [...heights]
    .map(([key, height]) => {
      const lookedUp = lists.filter((list) => lake.coverage.completeIn(list)(key, height));
      return { key, height, lookedUpIn: lookedUp.map(({ variant }) => variant) };
    })
    .sort((a, b) => a.height - b.height || (a.key < b.key ? -1 : 1));
}
