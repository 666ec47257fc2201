import type { ServiceRequest, ServiceResponse } from '../../service/src/protocol/exchange.ts';
import { createService } from '../../service/src/server/service.ts';
import type { Axis } from '../../src/catalogue/entry.ts';
import { endpointAt } from '../../src/catalogue/index.ts';
import { ListFacts } from '../../src/fetch/walk/list-facts.ts';
import { quietEffects } from '../fixtures/quiet-effects.ts';
import { Chance } from './chance.ts';
import { FaultyWire } from './faulty-wire.ts';
import { MemoryLake } from './memory-table.ts';
import { modelCaller } from './model-caller.ts';
import { type Ran, runOnce } from './model-run.ts';
import { findingsOn } from './oracle.ts';
import { silentGaps, unreached } from './progress.ts';
import { SmallChain } from './small-chain.ts';
import { smallSource } from './small-source.ts';
import type { Tally } from './tally.ts';
import { isFaulty, type RunCase, type WholeCase, wholeCase } from './whole-case.ts';

/** A finding of missing rows only. */
const MISSING = /and 0 too many|was ever like that: $/;

/** Told of every request with its answer, and of every walk. */
export type WatchLine = (line: string) => unknown;

/** Plays the case of a seed; returns what is wrong with what the first bad run left. */
export async function playWhole(seed: number, tally: Tally, watch?: WatchLine): Promise<string[]> {
  const chance = new Chance(seed);
  const scenario = wholeCase(chance, new Chance(~seed));
  const world = new World(scenario, chance.apart(), tally, watch);
  tellCase(scenario, tally);
  const { chain, lake } = world;
  const { recordCap = 0 } = scenario.settings;
  for (const [i, run] of scenario.runs.entries()) {
    watch?.(`run ${i}: ${JSON.stringify({ ...run, pipeline: run.pipeline.requests })}`);
    const before = { empties: emptiesIn(tally), cuts: cutsIn(tally) };
    const ran = await world.run(run);
    const falseEmpties = emptiesIn(tally) - before.empties;
    const cuts = cutsIn(tally) - before.cuts;
    const isLast = i === scenario.runs.length - 1;
    const findings = [
      ...findingsOn(chain, lake, scenario.runs.slice(0, i + 1).some(isFaulty)),
      ...silentGaps(lake, run, ran),
      ...(isLast ? unreached({ chain, lake, run, ran, recordCap }) : []),
    ];
    if (falseEmpties > 0) tally.add('runs with false empties', run.pipeline.proof);
    if (findings.length > 0 && falseEmpties > 0 && isBelieved(ran, findings)) {
      tally.add('false empties believed', run.pipeline.proof);
      return [];
    }
    if (cuts > 0) tally.add('runs with cut pages', run.pipeline.proof);
    if (findings.length > 0 && cuts > 0 && findings.every(isCutShort)) {
      tally.add('cut pages believed', run.pipeline.proof);
      return [];
    }
    if (findings.length > 0) return findings.map((finding) => `seed ${seed}, run ${i}: ${finding}`);
  }
  tally.rows += lake.rows.length;
  for (const { status } of lake.coverage.entries()) tally.add('left', status);
  return [];
}

/** Empty answers where there are records: single ones, and those of short stretches. */
function emptiesIn(tally: Tally): number {
  return tally.count('faults', 'false empty') + tally.count('faults', 'silent');
}

/** Pages of lists without counts that were cut at random. */
function cutsIn(tally: Tally): number {
  return tally.count('faults', 'cut page without a count');
}

/** Whether rows are missing in a list without page counts; see docs/trust-model.md. */
function isCutShort(finding: string): boolean {
  const [path = ''] = finding.split('?');
  return endpointAt(path).reply.shape === 'bare' && MISSING.test(finding);
}

/**
 * Whether the run could not know better: no question with known records was answered with an empty
 * list, or the run died before it could read again. docs/trust-model.md says how likely that is.
 */
function isBelieved({ isSuspect, isOver }: Ran, findings: readonly string[]): boolean {
  const areMissing = findings.every((finding) => MISSING.test(finding));
  return areMissing && !(isSuspect && isOver);
}

class World {
  readonly chain: SmallChain;
  readonly lake = new MemoryLake();
  readonly #chance: Chance;
  readonly #tally: Tally;
  readonly #wire: FaultyWire;
  readonly #watch: WatchLine | undefined;
  readonly #axes: readonly Axis[];
  #facts: ListFacts;
  #growth = 0;
  #isReversed: boolean;
  /** Requests until the service lists everything in the other order. */
  #untilFlip = Number.POSITIVE_INFINITY;

  constructor(scenario: WholeCase, chance: Chance, tally: Tally, watch: WatchLine | undefined) {
    this.#facts = new ListFacts({});
    this.#isReversed = scenario.isReversed;
    this.#watch = watch;
    this.#chance = chance;
    this.#tally = tally;
    this.chain = new SmallChain(scenario.shape, chance.apart());
    this.#axes = (['primary', 'zone'] as const).filter((axis) => scenario.blocks[axis] > 0);
    for (const axis of this.#axes) this.chain.grow(axis, scenario.blocks[axis]);
    const service = createService({
      source: smallSource(this.chain, {
        requested: () => this.#requested(),
        bent: () => ({
          ...this.#wire.faults.lies,
          isReversed: this.#isReversed,
          replica: this.#wire.replica,
        }),
      }),
      effects: quietEffects(),
      settings: scenario.settings,
    });
    this.#wire = new FaultyWire(
      (request) => service.answer(request),
      chance.apart(),
      tally.countsOf('faults'),
    );
  }

  async run(run: RunCase): Promise<Ran> {
    for (const axis of this.#axes) this.chain.grow(axis, run.blocksBefore);
    this.lake.wait(run.minutesBefore);
    this.#facts = new ListFacts(this.#facts.memory(), this.#facts.repeatModes());
    this.#growth = run.growth;
    this.#untilFlip = run.flipsAfter ?? Number.POSITIVE_INFINITY;
    this.#wire.faults = run.faults;
    const caller = modelCaller({
      answer: (request) => this.#answer(request),
      turns: () => (run.turns === 0 ? 0 : this.#chance.between(0, run.turns)),
    });
    const watch = this.#watch === undefined ? {} : { watch: this.#watch };
    const ran = await runOnce({ ...run, facts: this.#facts, caller, lake: this.lake, ...watch });
    for (const [status, count] of ran.statuses) this.#tally.add('walks', status, count);
    this.#tally.add('walks', 'failed', ran.failed.length);
    return ran;
  }

  async #answer(request: ServiceRequest): Promise<ServiceResponse> {
    const answer = await this.#wire.answer(request);
    this.#watch?.(`${request.target}\n  ${answer.status} ${answer.body}`);
    return answer;
  }

  #requested(): void {
    this.#tally.requests += 1;
    this.#untilFlip -= 1;
    if (this.#untilFlip === 0) this.#isReversed = !this.#isReversed;
    if (this.#growth === 0 || !this.#chance.is(this.#growth)) return;
    for (const axis of this.#axes) this.chain.grow(axis, 1);
  }
}

function tellCase(scenario: WholeCase, tally: Tally): void {
  const { theme, shape, settings, isHidden, isReversed, runs } = scenario;
  tally.cases += 1;
  tally.add('theme', theme);
  tally.add('record cap', settings.recordCap ?? 0);
  tally.add('record cap is', isHidden ? 'hidden' : 'told');
  tally.add('cap style', settings.capStyle ?? '');
  tally.add('end of a range', settings.endReading ?? '');
  tally.add('listed', settings.perMatchListing === true ? 'per match' : 'once');
  tally.add('listed', isReversed ? 'oldest first' : 'newest first');
  tally.add('seen late', `${shape.latePercent} %`);
  tally.add('runs', runs.length);
  for (const run of runs) {
    tally.add('run', isFaulty(run) ? 'with faults' : 'without faults');
    tally.add('back ends', 1 + (run.faults.lies.replicas?.others ?? 0));
    const empties = run.faults.slips.find(({ slip }) => slip === 'false empty');
    tally.add('false empties', empties?.probability ?? 0);
    tally.add('proof', run.pipeline.proof);
    tally.add('growth per request', run.growth);
    tally.add('order of rows', run.flipsAfter === undefined ? 'stays' : 'flips');
    tally.add('keys per request', run.pipeline.groupSize);
    tally.add('window', run.pipeline.windowBlocks);
    tally.add('order', run.pipeline.order);
    tally.add('slices at once', run.workers);
    tally.add('walks per commit', run.batch);
    for (const request of run.pipeline.requests) {
      tally.add('endpoint', request.entry.path);
      if (request.pageSize !== undefined) tally.add('page size', request.pageSize);
    }
  }
}
