import { describe, expect, it } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import type { ServiceRequest, ServiceResponse } from '../../../service/src/protocol/exchange.ts';
import { createService } from '../../../service/src/server/service.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { Coverage } from '../../../src/coverage/coverage.ts';
import { Fault } from '../../../src/fault.ts';
import { corroborationOf } from '../../../src/fetch/corroborate/corroboration.ts';
import { ListFacts } from '../../../src/fetch/walk/list-facts.ts';
import { Committer } from '../../../src/land/committer.ts';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { requestsOf } from '../../../src/plan/request-of-slice.ts';
import { planSlices } from '../../../src/plan/slices.ts';
import {
  type ExecutionOptions,
  type ExecutionResult,
  executePlan,
} from '../../../src/run/execute.ts';
import { inProcessCaller } from '../../fixtures/in-process.ts';
import { SmallLake } from '../../fixtures/load-lake.ts';
import { quietEffects } from '../../fixtures/quiet-effects.ts';
import { whenOver } from '../../fixtures/when-over.ts';

const LIST = 'mainchain/address/normal-transaction-list-multi';
const chain = simulatedChain({ seed: 'execute', head: 120 });
const ADDRESSES = chain.addresses(12);

function planned(requests: readonly string[], keys: Readonly<Record<string, readonly string[]>>) {
  const sets = Object.keys(keys).map((name) => `  ${name}: { list: ["${ADDRESSES[0]}"] }`);
  const text = [
    'version: 1',
    'name: execute',
    'source: { url: "http://127.0.0.1:1", chain: MAINCHAIN, credentials: none, concurrency: 1 }',
    'groupSize: 1',
    'keys:',
    ...sets,
    'blocks: { to: head }',
    'datasets:',
    '  transactions:',
    ...requests.map((entry) => `    - { endpoint: ${LIST}, ${entry} }`),
  ].join('\n');
  const pipeline = parsePipeline({ text, file: 'execute.yaml' });
  const plan = planSlices({
    pipeline,
    keys,
    rowKeys: new Map(),
    coverage: new Coverage(),
    heads: { primary: { head: 120, safe: 100 } },
    densities: new Map(),
    nowMs: 0,
  });
  return { pipeline, plan };
}

const answer = (status: number, code: string): ServiceResponse => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ code, msg: 'no', data: [] }),
});

/** Executes 12 addresses one by one, with what the service says instead of its answers. */
async function executed(
  instead: (address: string, nth: number) => ServiceResponse | undefined,
  excludesStart = false,
  mostInFlight = () => 1,
  beforeAnswer = async () => {},
): Promise<ExecutionResult> {
  const { pipeline, plan } = planned(['keys: all'], { all: ADDRESSES });
  const effects = quietEffects();
  const service = createService({ source: chainSource(chain), effects });
  const small = await SmallLake.open();
  const { lake } = small;
  const never = new AbortController().signal;
  const caller = inProcessCaller({
    ...service,
    answer: async (request: ServiceRequest) => {
      const url = new URL(request.target, 'http://x');
      const address = url.searchParams.get('address') ?? '';
      const start = Number(url.searchParams.get('startBlockHeight'));
      if (excludesStart && start < Number(url.searchParams.get('endBlockHeight'))) {
        url.searchParams.set('startBlockHeight', String(start + 1));
      } else if (excludesStart) url.searchParams.set('address', `0x${'9'.repeat(40)}`);
      const target = `${url.pathname}${url.search}`;
      await beforeAnswer();
      const answered = instead(address, ADDRESSES.indexOf(address));
      return answered ?? service.answer(excludesStart ? { ...request, target } : request);
    },
  });
  const connection: ExecutionOptions['connection'] = {
    caller,
    onLongWait: () => () => undefined,
    mostInFlight,
    facts: new ListFacts({}),
  };
  const committer = new Committer({ lake, limits: pipeline.commit, effects, run: 'test' });
  whenOver(() => small.close());
  return await executePlan({
    plan,
    pipeline,
    connection,
    corroboration: corroborationOf(connection, effects),
    lake,
    committer,
    effects,
    softStop: never,
    hardStop: never,
    onSlice: () => undefined,
  });
}

it('as many slices are open as requests may be in flight, which may grow and shrink', async () => {
  const atOnce: number[] = [];
  let open = 0;
  const most = (): number => (atOnce.length < 3 ? 1 : atOnce.length < 12 ? 5 : 2);
  const { left, failed } = await executed(
    () => undefined,
    false,
    most,
    async () => {
      open += 1;
      atOnce.push(open);
      for (let i = 0; i < 60; i += 1) await null;
      open -= 1;
    },
  );
  expect({ left, failed }).toEqual({ left: 0, failed: [] });
  expect(atOnce.slice(0, 3)).toEqual([1, 1, 1]);
  expect(Math.max(...atOnce)).toBe(5);
});

describe('slices that fail', () => {
  it('end a run where many in a row get no answer', async () => {
    const ended = executed(() => answer(503, '50001'));
    await expect(ended).rejects.toThrow(Fault);
    await expect(ended).rejects.toThrow('The service does not answer');
  });

  it('are named alone where the service refuses them, for it is there', async () => {
    const { failed } = await executed(() => answer(400, '50014'));
    expect(failed.length).toBeGreaterThan(12);
  });

  it('are counted anew after a refusal', async () => {
    const { failed } = await executed((_, nth) =>
      nth % 5 === 4 ? answer(400, '50014') : answer(503, '50001'),
    );
    expect(failed.length).toBeGreaterThan(12);
  });

  it('leave the others as they are', async () => {
    const { failed } = await executed((_, nth) => (nth === 3 ? answer(400, '50014') : undefined));
    expect(new Set(failed.flatMap(({ keys }) => keys))).toEqual(new Set([ADDRESSES[3]]));
  });
});

it.each([
  [false, 0],
  [true, ADDRESSES.length],
])('block 0 is complete unless ranges exclude their start: %s', async (excludes, short) => {
  const ended = await executed(() => undefined, excludes);
  expect(ended).toMatchObject({ failed: [], short, left: 0 });
});

it('slices belong to the request they were cut from, and two may ask one list of other keys', () => {
  const [first = '', second = ''] = ADDRESSES;
  const { plan } = planned(['keys: some', 'keys: others, accept: [truncated]'], {
    some: [first],
    others: [second],
  });
  const requestOf = requestsOf(plan);
  const accepted = plan.slices.map((slice) => [slice.keys, requestOf(slice).request.accept]);
  expect(accepted).toContainEqual([[first], []]);
  expect(accepted).toContainEqual([[second], ['truncated']]);
  expect(accepted).not.toContainEqual([[second], []]);
});
