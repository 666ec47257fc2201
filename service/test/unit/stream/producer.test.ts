import { describe, expect, it } from 'vitest';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import { ENDLESS_SLICE } from '../../../src/protocol/time-slices.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { ledgerOf } from '../../../src/simulated/ledger.ts';
import { createProducer } from '../../../src/stream/producer.ts';
import type { StreamSettings } from '../../../src/stream/stream-settings.ts';

const HEAD = 40;
const chain = simulatedChain({ seed: 'growing', head: HEAD });

interface Heard {
  readonly atMs: number;
  readonly height: number;
  readonly index: number;
  /** The state of the node when the message was sent. */
  readonly head: number;
  readonly count: number;
  readonly balances: object;
}

interface Metadata {
  readonly block_number: number;
  readonly new_account_balances: object;
}

function producing(
  blocksPerSecond: number,
  settings: StreamSettings = {},
  lateMs = () => 0,
  world = chain,
  slices = ENDLESS_SLICE,
) {
  const clock = virtualClock();
  const source = chainSource(world);
  const startMs = clock.now();
  const heard: Heard[] = [];
  let cuts = 0;
  const producer = createProducer({
    chain: world,
    source,
    ledger: ledgerOf(world, slices),
    blocksPerSecond,
    effects: { ...clock, sleep: (delayMs, signal) => clock.sleep(delayMs + lateMs(), signal) },
    settings,
    audience: {
      send: (message) => {
        const metadata = message['metadata'] as Metadata;
        const { block_number: height, new_account_balances: balances } = metadata;
        heard.push({
          atMs: clock.now() - startMs,
          height,
          balances,
          index: Number(message['index']),
          head: source.head('primary'),
          count: producer.preconfirmed()?.count ?? -1,
        });
      },
      disconnect: () => {
        cuts += 1;
      },
    },
  });
  const stop = new AbortController();
  const run = producer.run(stop.signal);
  return { clock, source, producer, heard, stop, run, cuts: () => cuts };
}

describe('the producer', () => {
  it('tells a block before the head reaches it, and then goes on with the next', async () => {
    const { clock, source, heard, stop, run } = producing(2);
    await clock.pass(10_000);
    stop.abort();
    await clock.run(run);
    for (const { height, head } of heard) expect(height).toBe(head + 1);
    const heights = [...new Set(heard.map(({ height }) => height))];
    expect(heights).toEqual(heights.map((_, nth) => HEAD + 1 + nth));
    expect(source.head('primary')).toBeGreaterThanOrEqual(HEAD + 19);
    expect(source.head('primary')).toBeLessThanOrEqual(HEAD + 20);
  });

  it('announces blocks without balances until a long chain is counted', async () => {
    let isPaused = true;
    let resume = (): void => undefined;
    const pause = new Promise<void>((resolve) => (resume = resolve));
    const slices = { isOver: () => isPaused, next: () => pause };
    const long = simulatedChain({ seed: 'long', head: 1200 });
    const { clock, heard, stop, run } = producing(1, {}, () => 0, long, slices);
    await clock.pass(2_500);
    expect(new Set(heard.map(({ height }) => height))).toEqual(new Set([1201, 1202, 1203]));
    expect(heard.flatMap(({ balances }) => Object.keys(balances))).toEqual([]);
    isPaused = false;
    resume();
    await clock.pass(10_000);
    expect(heard.flatMap(({ balances }) => Object.keys(balances)).length).toBeGreaterThan(0);
    stop.abort();
    await clock.run(run);
  });

  it('spreads the fragments of a block over its time', async () => {
    const { clock, heard, stop, run } = producing(1);
    await clock.pass(5_000);
    stop.abort();
    await clock.run(run);
    const times = heard.filter(({ height }) => height === HEAD + 2).map(({ atMs }) => atMs);
    expect(times.length).toBeGreaterThanOrEqual(3);
    expect(times[0]).toBeCloseTo(1_000, 0);
    for (const [nth, atMs] of times.entries()) {
      expect(atMs).toBeCloseTo(1_000 + (1_000 * nth) / times.length, 0);
    }
  });

  it('keeps the announced part until the block exists, and never takes any of it back', async () => {
    const fault: StreamSettings['fault'] = ({ index, payload }) =>
      payload === 0 && index === 2 ? 'new-payload' : undefined;
    const { clock, producer, heard, stop, run } = producing(1, { fault });
    await clock.pass(30_000);
    for (let height = HEAD + 1; height < HEAD + 29; height += 1) {
      const counts = heard.filter((block) => block.height === height).map(({ count }) => count);
      expect(counts).toEqual(counts.toSorted((a, b) => a - b));
      expect(counts.at(-1)).toBe(chain.executedAt(height).executed.length);
    }
    expect(producer.preconfirmed()?.height).toBe(HEAD + 31);
    stop.abort();
    await clock.run(run);
  });

  it('passes on that everybody is cut off', async () => {
    const fault: StreamSettings['fault'] = ({ index }) => (index === 0 ? 'disconnect' : undefined);
    const { clock, stop, run, cuts } = producing(1, { fault });
    await clock.pass(3_500);
    stop.abort();
    await clock.run(run);
    expect(cuts()).toBe(4);
  });

  it('that fell behind goes on from there, and makes up for one block at most', async () => {
    let late = 0;
    const { clock, heard, stop, run } = producing(1, {}, () => (late++ === 20 ? 10_000 : 0));
    await clock.pass(60_000);
    stop.abort();
    await clock.run(run);
    const begun = heard.filter(({ index }) => index === 0).map(({ atMs }) => atMs);
    const gaps = begun.slice(1).map((atMs, nth) => atMs - (begun[nth] ?? 0));
    expect(Math.max(...gaps)).toBeGreaterThanOrEqual(10_000);
    expect(gaps.filter((gap) => gap < 500).length).toBeLessThanOrEqual(1);
  });

  it('of a chain too long to be counted tells no balances', async () => {
    const long = simulatedChain({ seed: 'growing', head: 400_000 });
    const { clock, heard, stop, run } = producing(1, {}, undefined, long);
    await clock.pass(3_000);
    stop.abort();
    await clock.run(run);
    expect(heard.length).toBeGreaterThan(6);
    for (const { balances } of heard) expect(balances).toEqual({});
  });

  it('stops when it is aborted in the middle of a block', async () => {
    const { clock, source, stop, run } = producing(1);
    await clock.pass(2_300);
    stop.abort();
    await clock.run(run);
    const head = source.head('primary');
    await clock.pass(5_000);
    expect(source.head('primary')).toBe(head);
  });
});
