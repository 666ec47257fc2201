import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildChain, type ChainSize, SMALL } from './chain.ts';
import { jumpingClock } from './clock.ts';
import { REAL_CLOCK, runCommandLine } from './command-line.ts';
import { type Family, LIKELY_WRONG, STRICT_MORE } from './family.ts';
import { Lists } from './lists.ts';
import { type PipelineName, type PipelineSettings, pipelineText } from './pipelines.ts';
import { Random } from './random.ts';
import { type Fault, HONEST, hostileServer, type Trace } from './server.ts';
import { type Verdict, verdictOf } from './verdict.ts';
import { type Proof, proofLine, runWindrow } from './windrow.ts';

/** One run of the real windrow against one service, and what its lake is worth. */

export interface Play {
  /** Seed of chance within the fault, and of windrow's own. */
  readonly seed: number;
  readonly fault?: Fault;
  readonly proof?: Proof;
  readonly pipeline?: PipelineName;
  readonly chainSeed?: number;
  readonly size?: ChainSize;
  readonly settings?: PipelineSettings;
  /** Followed addresses; all of the chain by default. */
  readonly addresses?: number;
  /** The built command line over HTTP, on the real clock. */
  readonly isOverHttp?: boolean;
  /** A run that sends more is ended; unbounded where absent. */
  readonly maxRequests?: number;
  readonly trace?: Trace;
}

export interface Played extends Verdict {
  /** Rows called complete that are not as they should be: missing and extra ones. */
  readonly wrong: number;
  readonly requests: number;
  readonly requestsByPath: ReadonlyMap<string, number>;
  readonly exit: number;
  /** What ended the run, failed slices, and the reasons of the coverage. */
  readonly messages: readonly string[];
  /** The run ended otherwise than with exit code 0, or its coverage gives a reason. */
  readonly isNoticed: boolean;
}

const START_MS = 1_760_000_000_000;
const LATENCY_MS = 20;

const chains = new Map<string, Lists>();

/** Chains are read only, so those that were built are kept. */
function listsOf(seed: number, size: ChainSize = SMALL): Lists {
  const id = JSON.stringify([seed, size]);
  const lists = chains.get(id) ?? new Lists(buildChain(seed, size));
  chains.set(id, lists);
  return lists;
}

/** A variant of a family, and the honest service beside it. */
export interface Compared extends Played {
  readonly family: string;
  readonly seed: number;
  readonly proof: Proof;
  readonly variant: string;
  readonly pipeline: PipelineName;
  /** Rows that an honest service makes complete. */
  readonly calmRows: number;
  /** Requests, as a multiple of those that an honest service takes. */
  readonly price: number;
}

/** Chains that variants are spread over; few, because each needs an honest run beside it. */
const CHAINS = 3;

/** Requests after which a run is ended, as a multiple of those of an honest service. */
const MOST = 12;

const calm = new Map<string, Promise<Played>>();

/** Plays the variant of a family that belongs to a seed. */
export async function playFamily(
  family: Family,
  seed: number,
  proof: Proof,
  trace?: Trace,
): Promise<Compared> {
  const chainSeed = 1 + (seed % CHAINS);
  const random = Random.keyed(seed, family.name);
  const {
    fault,
    pipeline,
    settings = {},
    size = SMALL,
  } = family.variant(random, listsOf(chainSeed));
  const setup = { chainSeed, pipeline, settings, proof, size };
  const { recordCap: _recordCap, ...calmSettings } = settings;
  const id = JSON.stringify({ ...setup, settings: calmSettings });
  const honest = calm.get(id) ?? play({ ...setup, settings: calmSettings, seed: 0 });
  calm.set(id, honest);
  const { complete: calmRows, requests } = await honest;
  const traced = trace === undefined ? {} : { trace };
  const played = await play({ ...setup, ...traced, seed, fault, maxRequests: MOST * requests });
  const price = played.requests / requests;
  const about = { family: family.name, seed, proof, variant: fault.name, pipeline };
  return { ...played, ...about, calmRows, price };
}

/** How runs of a family break what windrow promises of it, one line each. */
export function breachesOf(family: Family, played: readonly Compared[]): string[] {
  const { leastRows = 0 } = family;
  const isStrict = played.some(({ proof }) => proof === 'strict');
  const maxPrice = (family.maxPrice ?? Number.POSITIVE_INFINITY) * (isStrict ? STRICT_MORE : 1);
  const isWrongAllowed = allowsWrong(family, played);
  const breaches = played.flatMap((run) => {
    const { missing, extra, price, complete, calmRows, isNoticed, pipeline, variant } = run;
    const flaws: string[] = [];
    if (run.wrong > 0 && !isWrongAllowed) {
      flaws.push(`${missing} rows missing, ${extra} extra of ${complete}`);
    }
    if (price > 2 * maxPrice)
      flaws.push(`${price.toFixed(2)} times the requests of an honest service`);
    const lost = calmRows - complete;
    if (complete < leastRows * calmRows) flaws.push(`${lost} of ${calmRows} rows are not complete`);
    if (lost > 0 && !isNoticed && family.isLeftOut !== true)
      flaws.push(`no message says that ${lost} rows are not complete`);
    const text = flaws.join(', ');
    return text === '' ? [] : [`seed ${run.seed}, ${pipeline}, ${variant}: ${text}`];
  });
  const average = played.reduce((sum, { price }) => sum + price, 0) / played.length;
  if (average <= maxPrice) return breaches;
  return [...breaches, `on average ${average.toFixed(2)} times the requests, above ${maxPrice}`];
}

function allowsWrong({ promise }: Family, played: readonly Compared[]): boolean {
  if (promise === 'exact' || promise === 'open') return promise === 'open';
  const wrong = played.filter((run) => run.wrong > 0).length;
  const isStandard = played.every(({ proof }) => proof === 'standard');
  if (promise === 'strict') return isStandard;
  // Of a few variants, one says nothing yet of the share.
  return isStandard && wrong <= Math.max(1, LIKELY_WRONG * played.length);
}

/** Throws where this windrow has no such level of proof. */
export async function play(setup: Play): Promise<Played> {
  const { seed, fault = HONEST, proof = 'standard', pipeline = 'addresses', settings } = setup;
  const lists = listsOf(setup.chainSeed ?? 1, setup.size);
  const { isOverHttp = false } = setup;
  const clock = isOverHttp ? REAL_CLOCK : jumpingClock(START_MS);
  const service = hostileServer({
    lists,
    fault,
    seed,
    clock,
    latencyMs: isOverHttp ? 0 : LATENCY_MS,
    ...(setup.maxRequests === undefined ? {} : { maxRequests: setup.maxRequests }),
    ...(setup.trace === undefined ? {} : { trace: setup.trace }),
  });
  const root = await mkdtemp(join(tmpdir(), 'windrow-hostile-'));
  const addresses = lists.chain.addresses.slice(0, setup.addresses);
  const line = proofLine(proof);
  if (line === undefined && proof !== 'standard') throw new Error(`no proof level ${proof}`);
  const text = pipelineText(pipeline, {
    ...settings,
    ...(line === undefined ? {} : { proofLine: line }),
  });
  const tokens = [...new Set(lists.chain.transfers.map(({ token }) => token))].slice(0, 6);
  const keys = { addresses, few: addresses.slice(2, 5), tokens };
  try {
    const runIt = isOverHttp ? runCommandLine : runWindrow;
    const end = await runIt({ text, keys, root, service, clock, seed });
    const verdict = await verdictOf(root, lists);
    const messages = [...end.messages, ...verdict.reasons];
    const requestsByPath = service.requests;
    const requests = [...requestsByPath.values()].reduce((sum, count) => sum + count, 0);
    const wrong = verdict.missing + verdict.extra;
    const isNoticed = end.exit !== 0 || verdict.reasons.length > 0;
    const { exit } = end;
    return { ...verdict, wrong, requests, requestsByPath, exit, messages, isNoticed };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
