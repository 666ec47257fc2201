import type { Endpoint } from '../catalogue/entry.ts';
import { endpointAt, paramOf } from '../catalogue/index.ts';
import { Fault } from '../fault.ts';
import type { Coverage } from './coverage.ts';
import type { Pipeline } from './pipeline.ts';
import type { PipelineRequest } from './pipeline-requests.ts';
import type { Interval } from './ranges.ts';
import { windowsOf } from './ranges.ts';
import type { Slice, Variant } from './slice.ts';

/** The head of the primary chain, and the height from which on its records may still change. */
export interface Heads {
  readonly head: number;
  readonly safe: number;
}

export interface PlanInput {
  readonly pipeline: Pipeline;
  /** The keys of every key set, lower-case, sorted and unique. */
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly coverage: Coverage;
  readonly heads: Heads;
}

/** What one request of the pipeline asks, and what of it has to be fetched. */
export interface PlannedRequest {
  readonly request: PipelineRequest;
  readonly variant: Variant;
  readonly keys: number;
  /** Asked in all, cut at the head; undefined when the range begins above it. */
  readonly interval: Interval | undefined;
  readonly slices: readonly Slice[];
  /** Key-blocks asked below the safe height, and how many of them are complete already. */
  readonly asked: number;
  readonly covered: number;
}

export interface Plan {
  readonly heads: Heads;
  /** The newest head that any coverage was read at; -1 where there is none. */
  readonly newestHeadSeen: number;
  readonly requests: readonly PlannedRequest[];
  /** In the order of fetching. */
  readonly slices: readonly Slice[];
}

/**
 * What has to be fetched so that everything asked is covered: requested intervals minus complete
 * ones, keys with the same gap packed together. Records at the safe height and above may still
 * change, so slices are cut there: what lies below is fetched once, the short rest in every run.
 */
export function planSlices(input: PlanInput): Plan {
  const requests = input.pipeline.requests.flatMap((request) =>
    request.variants.map((each) => planRequest(input, request, each)),
  );
  const slices = requests.flatMap((planned) => planned.slices);
  const sign = input.pipeline.order === 'newest-first' ? -1 : 1;
  const ordered = slices
    .map((slice, i) => ({ slice, i }))
    .sort((a, b) => sign * (a.slice.interval.from - b.slice.interval.from) || a.i - b.i)
    .map(({ slice }) => slice);
  const newestHeadSeen = input.coverage
    .entries()
    .reduce((newest, { head }) => Math.max(newest, head), -1);
  return { heads: input.heads, newestHeadSeen, requests, slices: ordered };
}

function planRequest(input: PlanInput, request: PipelineRequest, each: Variant): PlannedRequest {
  const { pipeline, coverage, heads } = input;
  const endpoint = endpointAt(request.endpoint);
  const keys = request.keySet === undefined ? [''] : (input.keys[request.keySet] ?? []);
  const interval = askedInterval(pipeline, heads);
  if (interval === undefined) {
    return {
      request,
      variant: each,
      keys: keys.length,
      interval,
      slices: [],
      asked: 0,
      covered: 0,
    };
  }
  const final = { from: interval.from, to: Math.min(interval.to, heads.safe - 1) };
  const open = { from: Math.max(interval.from, heads.safe), to: interval.to };
  const shape = shapeOf(endpoint, pipeline);
  const pieces = new Pieces(endpoint, each, Math.min(pipeline.groupSize, shape.keys));
  const bound = sliceBound(shape);
  let missing = 0;
  for (const key of keys) {
    if (final.from <= final.to) {
      for (const gap of coverage.missing(endpoint.path, each.id, key, final)) {
        missing += gap.to - gap.from + 1;
        bound(gap);
        for (const piece of windowsOf(gap, shape.blocks)) pieces.add(piece, key, false);
      }
    }
    if (open.from <= open.to) {
      bound(open);
      for (const piece of windowsOf(open, shape.blocks)) pieces.add(piece, key, true);
    }
  }
  const asked = Math.max(0, final.to - final.from + 1) * keys.length;
  const slices = pieces.slices();
  return {
    request,
    variant: each,
    keys: keys.length,
    interval,
    slices,
    asked,
    covered: asked - missing,
  };
}

/** Most pieces of one request's plan, over all keys: more would not fit into memory. */
const MAX_PIECES = 5_000_000;

/** Counts the windows of intervals before they are made, and throws where they get too many. */
function sliceBound(shape: Shape): (interval: Interval) => void {
  let pieces = 0;
  return ({ from, to }) => {
    pieces += Math.ceil((to - from + 1) / shape.blocks);
    if (pieces <= MAX_PIECES) return;
    throw new Fault('configuration', `The range has more than ${MAX_PIECES} windows to fetch.`, {
      advice: 'Ask for fewer blocks (blocks in the pipeline, or --blocks A:B) or fewer addresses.',
    });
  };
}

/** The pipeline's range cut at the head; undefined when nothing of it exists yet. */
function askedInterval(pipeline: Pipeline, heads: Heads): Interval | undefined {
  const { from, to } = pipeline.blocks;
  const last =
    to === 'safe' ? heads.safe - 1 : to === 'head' ? heads.head : Math.min(to, heads.head);
  return from <= last ? { from, to: last } : undefined;
}

interface Shape {
  /** Largest interval of one slice; Infinity where the interface sets no limit. */
  readonly blocks: number;
  readonly keys: number;
}

function shapeOf(endpoint: Endpoint, pipeline: Pipeline): Shape {
  const keys = paramOf(endpoint, 'keys')?.max ?? 1;
  if (endpoint.list === 'by-key') return { blocks: 1, keys };
  const { blockSpan } = endpoint.limits;
  if (blockSpan === undefined) return { blocks: Number.POSITIVE_INFINITY, keys };
  return { blocks: Math.min(pipeline.windowBlocks, blockSpan), keys };
}

/** Gathers keys that miss exactly the same interval, and packs them into groups. */
class Pieces {
  readonly #endpoint: Endpoint;
  readonly #variant: Variant;
  readonly #groupSize: number;
  readonly #keysOf = new Map<string, { piece: Interval; provisional: boolean; keys: string[] }>();

  constructor(endpoint: Endpoint, each: Variant, groupSize: number) {
    this.#endpoint = endpoint;
    this.#variant = each;
    this.#groupSize = groupSize;
  }

  add(piece: Interval, key: string, provisional: boolean): void {
    const id = `${piece.from}:${piece.to}:${provisional}`;
    const known = this.#keysOf.get(id) ?? { piece, provisional, keys: [] };
    known.keys.push(key);
    this.#keysOf.set(id, known);
  }

  slices(): Slice[] {
    const slices: Slice[] = [];
    for (const { piece, provisional, keys } of this.#keysOf.values()) {
      for (let start = 0; start < keys.length; start += this.#groupSize) {
        slices.push({
          endpoint: this.#endpoint.path,
          variant: this.#variant,
          keys: keys.slice(start, start + this.#groupSize),
          interval: piece,
          provisional,
        });
      }
    }
    return slices;
  }
}
