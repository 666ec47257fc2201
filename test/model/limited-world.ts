import type { ServiceRequest, ServiceResponse } from '../../service/src/protocol/exchange.ts';
import type { Source } from '../../service/src/protocol/source.ts';
import { createService } from '../../service/src/server/service.ts';
import { ListFacts } from '../../src/fetch/walk/list-facts.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { PipelineRequest } from '../../src/pipeline/requests.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { Chance } from './chance.ts';
import { MemoryLake } from './memory-table.ts';
import { PIPELINE } from './menu.ts';
import { modelCaller } from './model-caller.ts';
import { type KeysGiven, type Ran, runOnce } from './model-run.ts';
import { findingsOn } from './oracle.ts';
import { type ChainShape, SmallChain } from './small-chain.ts';
import { smallSource } from './small-source.ts';

/** One run against a service that enforces a limit, judged by the truth. */

export type Answer = (request: ServiceRequest) => Promise<ServiceResponse>;

export interface LimitedCase {
  readonly chain: SmallChain;
  /** What stands between the pipeline and a service without any cap of its own. */
  readonly enforced: (answer: Answer) => Answer;
  readonly requests: readonly PipelineRequest[];
  readonly keys?: KeysGiven;
  readonly blocks?: Pipeline['blocks'];
  readonly zoneBlocks?: Pipeline['zoneBlocks'];
  /** What the pipeline believes of caps on records. */
  readonly recordCap?: number;
  readonly groupSize?: number;
  /** What was landed before. */
  readonly lake?: MemoryLake;
}

export interface Judged {
  readonly findings: readonly string[];
  readonly ran: Ran;
  readonly lake: MemoryLake;
  /** Everything that is known, by status: key-blocks. */
  readonly keyBlocks: ReadonlyMap<string, number>;
}

const NO_CAP = Number.MAX_SAFE_INTEGER;

export interface Honest {
  readonly view?: (source: Source) => Source;
  readonly perMatchListing?: boolean;
}

/** A service over the chain that shows everything that the source has. */
export function honest(chain: SmallChain, { view, perMatchListing = false }: Honest = {}): Answer {
  const whole = smallSource(chain, { requested: () => undefined, bent: () => ({}) });
  const source = view?.(whole) ?? whole;
  const settings = { recordCap: NO_CAP, perMatchListing };
  const service = createService({ source, effects: quietEffects(), settings });
  return (request) => service.answer(request);
}

export async function exported(options: LimitedCase): Promise<Judged> {
  const { chain, enforced, requests, keys = {}, blocks, recordCap = 10_000 } = options;
  const { lake = new MemoryLake() } = options;
  const source = { ...PIPELINE.source, recordCap, finalityLagBlocks: 2, finalityLagZoneBlocks: 2 };
  const ran = await runOnce({
    pipeline: {
      ...PIPELINE,
      source,
      requests,
      blocks: blocks ?? { from: chain.shape.base, to: 'safe' },
      zoneBlocks: options.zoneBlocks ?? { from: chain.shape.zoneBase, to: 'safe' },
      groupSize: options.groupSize ?? 20,
    },
    keys,
    caller: modelCaller({ answer: enforced(honest(chain)), turns: () => 0 }),
    facts: new ListFacts({}),
    lake,
    workers: 1,
    batch: 4,
  });
  const keyBlocks = new Map<string, number>();
  for (const { status, from, to } of lake.coverage.entries()) {
    keyBlocks.set(status, (keyBlocks.get(status) ?? 0) + to - from + 1);
  }
  return { findings: findingsOn(chain, lake, false), ran, lake, keyBlocks };
}

/** A chain from a seed, with the choices that are left to the case. */
export function chainOf(
  seed: number,
  datasets: readonly string[],
  more: Partial<ChainShape> = {},
): { readonly chain: SmallChain; readonly chance: Chance } {
  const chance = new Chance(seed);
  const shape: ChainShape = {
    datasets: new Set(datasets),
    base: 9_985,
    zoneBase: 9_985,
    burst: 12,
    blockMs: 12_000,
    latest: { primary: 0, zone: 0 },
    latePercent: 0,
    ...more,
  };
  return { chain: new SmallChain(shape, chance.apart()), chance };
}
