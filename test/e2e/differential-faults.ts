import { JSON_TYPE, type ServiceResponse } from '../../service/src/protocol/exchange.ts';
import type { Source } from '../../service/src/protocol/source.ts';
import { listen } from '../../service/src/server/listener.ts';
import { createService } from '../../service/src/server/service.ts';
import { parseFaultPlan } from '../../service/src/settings/fault-plan.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import { systemEffects } from '../../src/system.ts';
import type { FaultyRun, FaultyRuns } from '../model/faulty-runs.ts';
import type { Specification } from '../model/specification.ts';
import { coverageOf, runOnce } from './differential-lakes.ts';

/** The route of a specification with faults: stopped, gone on with, and at last made whole. */

export interface FaultyEnd {
  /** How each run ended, in words. */
  readonly told: readonly string[];
  readonly struck: number;
  readonly requests: number;
}

export interface Facing {
  readonly source: Source;
  readonly root: string;
  /** Those of a run without faults. */
  readonly requests: number;
  /** All that is to be covered. */
  readonly coverage: ReadonlySet<string>;
}

const WHOLE = 'whole';

/**
 * Plays the runs on one data root, and then, where something is not complete, a run without faults
 * and without a cap on records.
 */
export async function playFaulty(
  of: Specification,
  { deployment, recordCap, runs }: FaultyRuns,
  facing: Facing,
): Promise<FaultyEnd> {
  const meter = new Meter();
  const effects = systemEffects('warn');
  const settings = { ...deployment, before: () => meter.count() };
  const service = createService({ source: facing.source, effects, settings });
  const { url, close } = await listen(service, { effects });
  const told: string[] = [];
  let struck = 0;
  const play = async (faulty: FaultyRun): Promise<void> => {
    service.faults.replace(faulty.plan);
    const at = { root: facing.root, url };
    const ended = await runOnce(of, {
      ...at,
      addresses: faulty.addresses,
      change: (pipeline) => asRun(pipeline, faulty, recordCap),
      stops: stopsOf(faulty, meter, facing.requests),
      isHasty: true,
    });
    struck += service.faults.struck.reduce((sum, times) => sum + times, 0);
    told.push(ended === 'landed' ? await standOf(facing) : ended.message);
  };
  try {
    for (const faulty of runs) await play(faulty);
    const last = runs.at(-1);
    if (last !== undefined && told.at(-1) !== WHOLE) await play({ ...last, plan: HEALED });
  } finally {
    await close();
  }
  return { told, struck, requests: meter.total };
}

/** No faults, and no cap on records. */
const HEALED = parseFaultPlan({ text: '{ chain: { recordCap: 10000 } }', file: 'faults.yaml' });

async function standOf({ root, coverage }: Facing): Promise<string> {
  const covered = await coverageOf(root);
  const left = [...coverage].filter((line) => !covered.has(line)).length;
  return left === 0 ? WHOLE : `${left} of ${coverage.size} missing`;
}

function asRun(pipeline: Pipeline, faulty: FaultyRun, recordCap: number): Pipeline {
  const { blocks, zoneBlocks, groupSize, windowBlocks, order, pageSize, commitSlices } = faulty;
  return {
    ...pipeline,
    blocks,
    zoneBlocks,
    groupSize,
    windowBlocks,
    order,
    source: { ...pipeline.source, recordCap },
    requests: requestsOfPages(pipeline, pageSize),
    commit: { ...pipeline.commit, slices: commitSlices, seconds: 3_600 },
  };
}

/** The requests, with pages of so many records at most. */
export function requestsOfPages(pipeline: Pipeline, pageSize: number): Pipeline['requests'] {
  return pipeline.requests.map((request) =>
    request.pageSize === undefined
      ? request
      : { ...request, pageSize: Math.min(pageSize, request.pageSize) },
  );
}

function stopsOf({ stop }: FaultyRun, meter: Meter, requests: number) {
  const soft = new AbortController();
  const hard = new AbortController();
  const after = stop === undefined ? undefined : Math.max(2, Math.round(stop.part * requests));
  meter.ringAfter(after ?? Number.POSITIVE_INFINITY, () => {
    if (stop?.kind === 'refused') return REFUSED;
    soft.abort(new Error('interrupted'));
    if (stop?.kind === 'hard') hard.abort(new Error('interrupted'));
    return undefined;
  });
  return { soft: soft.signal, hard: hard.signal };
}

type Ring = () => ServiceResponse | undefined;

/** Counts requests, and rings when so many more were sent. */
class Meter {
  total = 0;
  #left = Number.POSITIVE_INFINITY;
  #ring: Ring = () => undefined;

  /** An answer in the place of the service's. */
  count(): ServiceResponse | undefined {
    this.total += 1;
    this.#left -= 1;
    return this.#left === 0 ? this.#ring() : undefined;
  }

  ringAfter(requests: number, ring: Ring): void {
    this.#left = requests;
    this.#ring = ring;
  }
}

/** The key may ask no more. */
const REFUSED: ServiceResponse = {
  status: 403,
  headers: { 'content-type': JSON_TYPE },
  body: '{"code":"50030","msg":"no","data":[]}',
};
