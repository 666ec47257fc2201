import { chainSource } from '../../service/src/memory/chain-source.ts';
import { listKey } from '../../src/coverage/list.ts';
import type { Pipeline } from '../../src/pipeline/pipeline.ts';
import type { PlannedRequest } from '../../src/plan/plan.ts';
import { Chance } from '../model/chance.ts';
import { faultyRuns } from '../model/faulty-runs.ts';
import { type Specification, specification } from '../model/specification.ts';
import { SpecifiedTruth } from '../model/specified-truth.ts';
import { playFaulty, requestsOfPages } from './differential-faults.ts';
import { contentOf, coverageLine, type LakeContent, runOnce } from './differential-lakes.ts';
import { exportLake, serve, temporaryRoot } from './harness.ts';
import { digestOf, landedLines, lineOf } from './landed-lists.ts';

/** One specification, exported by several routes into lakes that must hold the same. */

export interface Compared {
  readonly of: Specification;
  /** Of the straight route, by dataset. */
  readonly rows: Readonly<Record<string, number>>;
  /** Requests of the straight route, and of the one with faults. */
  readonly requests: { readonly straight: number; readonly faulty: number };
  /** How the runs of the route with faults ended, in words, and how many faults they met. */
  readonly told: readonly string[];
  readonly struck: number;
  /** What is not as it should be, by route; none in a world that is right. */
  readonly differences: readonly string[];
}

/** Beside the straight one, which has pages of 100, groups of 20 and windows of 10,000 blocks. */
const ROUTES = {
  'pages of 20': (of) => ({ ...of, requests: requestsOfPages(of, 20) }),
  'pages of 50': (of) => ({ ...of, requests: requestsOfPages(of, 50) }),
  'groups of 1': (of) => ({ ...of, groupSize: 1 }),
  'groups of 7': (of) => ({ ...of, groupSize: 7, order: 'newest-first' }),
  'windows of 3,333': (of) => ({ ...of, windowBlocks: 3_333 }),
} as const satisfies Readonly<Record<string, (pipeline: Pipeline) => Pipeline>>;

export type RouteName = keyof typeof ROUTES;

const ROUTE_NAMES = Object.keys(ROUTES) as RouteName[];

/** Plays the specification of a seed: straight, by these routes, and with faults. */
export async function compareRoutes(seed: number, routes = ROUTE_NAMES): Promise<Compared> {
  const of = specification(seed);
  const source = chainSource(of.chain);
  const served = await serve(source);
  const { url, targets } = served;
  try {
    const straight = await inNewLake((root) => exportStraight(of, root, url));
    const { content, differences } = straight;
    const requests = targets.length;
    const compare = async (name: string, root: string): Promise<void> => {
      const found = unlike(content, await contentOf(root));
      differences.push(...found.map((what) => `${name}: ${what}`));
    };
    for (const name of routes) {
      await inNewLake(async (root) => {
        const ended = await runOnce(of, { root, url, change: ROUTES[name] });
        if (ended !== 'landed') differences.push(`${name}: ${ended.message}`);
        await compare(name, root);
      });
    }
    const end = await inNewLake(async (root) => {
      const runs = faultyRuns(of, new Chance(seed).apart());
      const { coverage } = content;
      const played = await playFaulty(of, runs, { source, root, requests, coverage });
      await compare('with faults', root);
      return played;
    });
    const counts = { straight: requests, faulty: end.requests };
    return { ...end, of, rows: content.rows, requests: counts, differences };
  } finally {
    await served.close();
  }
}

async function inNewLake<T>(use: (root: string) => Promise<T>): Promise<T> {
  const { root, remove } = await temporaryRoot();
  try {
    return await use(root);
  } finally {
    await remove();
  }
}

/** A whole run, judged by the chain, and what it left. */
async function exportStraight(of: Specification, root: string, url: string) {
  const { text, addresses, tokens } = of;
  const { execution, plan } = await exportLake({ url, root, text, addresses, keys: { tokens } });
  const content = await contentOf(root);
  const isWhole = execution.failed.length + execution.short + execution.left === 0;
  const differences = [
    ...(isWhole ? [] : ['straight: not whole']),
    ...(await unlikeChain(of, plan.requests, root)),
    ...uncovered(of, plan.requests, content),
  ];
  return { content, differences };
}

/** Lists of the straight lake that are not what a plain loop over the chain's records gives. */
async function unlikeChain(
  of: Specification,
  requests: readonly PlannedRequest[],
  root: string,
): Promise<string[]> {
  const truth = new SpecifiedTruth(of, [...new Set(requests.map(({ request }) => request))]);
  const differences: string[] = [];
  for (const { request, list } of requests) {
    const expected = truth.of(request, list).map((record) => lineOf(record, list));
    const landed = await landedLines(root, list);
    if (digestOf(landed) === digestOf(expected)) continue;
    const counts = `${landed.length} rows for ${expected.length}`;
    differences.push(`straight: ${listKey(list)} is not as on the chain, ${counts}`);
  }
  return differences;
}

/** What the straight lake has not complete, or more of than was asked. */
function uncovered(
  { addresses, tokens }: Specification,
  requests: readonly PlannedRequest[],
  { coverage }: LakeContent,
): string[] {
  const given = requests.filter(({ isFound }) => !isFound);
  const wanted = new Set(
    given.flatMap(({ request, list, interval }) => {
      const { keySet } = request;
      const keys = keySet === undefined ? [''] : keySet === 'tokens' ? tokens : addresses;
      if (interval === undefined) return [];
      const { endpoint, variant } = list;
      const of = { endpoint, variant, ...interval, status: 'complete' } as const;
      return keys.map((key) => coverageLine({ ...of, key }));
    }),
  );
  const found = requests.filter(({ isFound }) => isFound).map(({ list }) => listKey(list));
  const isOfFound = (line: string): boolean =>
    line.endsWith(' complete') && found.some((list) => line.startsWith(`${list} `));
  const more = [...coverage].filter((line) => !wanted.has(line) && !isOfFound(line));
  const less = [...wanted].filter((line) => !coverage.has(line));
  return [
    ...more.map((line) => `straight: covers ${line}`),
    ...less.map((line) => `straight: does not cover ${line}`),
  ];
}

/** Datasets with other rows, and other coverage. */
function unlike(expected: LakeContent, other: LakeContent): string[] {
  const names = new Set([...Object.keys(expected.digests), ...Object.keys(other.digests)]);
  const rows = [...names]
    .filter((name) => expected.digests[name] !== other.digests[name])
    .map(
      (name) => `${name} differs, ${other.rows[name] ?? 0} rows for ${expected.rows[name] ?? 0}`,
    );
  const more = [...other.coverage].filter((line) => !expected.coverage.has(line));
  const less = [...expected.coverage].filter((line) => !other.coverage.has(line));
  return [
    ...rows,
    ...more.map((line) => `covers ${line}`),
    ...less.map((line) => `does not cover ${line}`),
  ];
}
