import { HeadMemory } from '../../fetch/chain/head-memory.ts';
import type { Suspicion } from '../../fetch/corroborate/empty-part.ts';
import { KeyDensity } from '../../fetch/corroborate/key-density.ts';
import { givenKeysOf, type PlanPart } from '../../plan/parts.ts';
import type { Stops } from '../interruption.ts';
import type { OpenJob } from '../job/open-job.ts';
import type { LoadedPipeline } from '../job/pipeline-file.ts';
import type { PartCounts } from '../queue/job-queue.ts';
import { type RunResult, run as runPipeline } from '../run.ts';
import type { Session } from '../run-job.ts';

/** Fetches parts of one run, one after another, over one connection and one opened lake. */
export class PartRunner {
  readonly #loaded: LoadedPipeline;
  readonly #job: OpenJob;
  readonly #session: Session;
  /** Closes the connection and the lake. */
  readonly close: () => Promise<void>;

  constructor(
    loaded: LoadedPipeline,
    job: OpenJob,
    suspicion: Suspicion,
    close: () => Promise<void>,
  ) {
    this.#loaded = loaded;
    this.#job = job;
    this.close = close;
    const memory = { heads: new HeadMemory(), density: new KeyDensity() };
    this.#session = { ...memory, suspicion, isUpkeepDue: false };
  }

  get source(): string {
    return this.#loaded.pipeline.source.url;
  }

  /** Requests that were sent. */
  get requests(): number {
    return this.#job.connection.statistics().requests;
  }

  /** Plans the part from the lake and fetches it. Returns undefined if it was interrupted. */
  async run(part: PlanPart, stops: Stops): Promise<PartCounts | undefined> {
    const { pipeline, keys } = partOf(this.#loaded, part);
    const { connection } = this.#job;
    const before = connection.statistics();
    const ran = await runPipeline({
      ...this.#job,
      ...stops,
      ...{ pipeline, keys, session: this.#session },
      isLocked: false,
      isPart: true,
      // The finders of found keys are read, and not fetched.
      intent: { isAgain: false, wants: ({ request }) => request === pipeline.requests.at(-1) },
    });
    if (ran.execution.left > 0) return undefined;
    return countsOf(ran, connection.statistics(), before);
  }
}

type Traffic = Pick<PartCounts, 'requests' | 'rejections'>;

function countsOf({ committer, execution }: RunResult, now: Traffic, before: Traffic): PartCounts {
  const { slices, rows, quarantined } = committer.counts();
  return {
    failedParts: execution.failed.length > 0 ? 1 : 0,
    requests: now.requests - before.requests,
    rejections: now.rejections - before.rejections,
    slices,
    rows,
    quarantined,
  };
}

/**
 * The pipeline of a part: its request last, behind the requests that find its keys, and its keys
 * and heights alone.
 */
export function partOf(
  { pipeline, keys }: Pick<LoadedPipeline, 'pipeline' | 'keys'>,
  part: PlanPart,
): Pick<LoadedPipeline, 'pipeline' | 'keys'> {
  const request = pipeline.requests[part.request];
  if (request === undefined) throw new Error(`The pipeline has no request ${part.request}`);
  const isFound = request.foundIn !== undefined;
  const finders = isFound ? pipeline.requests.filter(({ foundIn }) => foundIn === undefined) : [];
  const axis = request.entry.axis === 'primary' ? 'blocks' : 'zoneBlocks';
  const requestKeys = givenKeysOf(request, keys);
  const { keySet = '' } = request;
  const range = part.keys;
  return {
    pipeline: { ...pipeline, requests: [...finders, request], [axis]: part.interval },
    keys:
      requestKeys === undefined || range === undefined
        ? keys
        : { [keySet]: requestKeys.slice(range.from, range.to + 1) },
  };
}
