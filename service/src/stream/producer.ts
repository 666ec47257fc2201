import type { Effects } from '../../../src/effects.ts';
import type { ChainSource } from '../memory/chain-source.ts';
import type { NodeBlock } from '../node/rpc-blocks.ts';
import type { JsonObject } from '../node/rpc-shapes.ts';
import { type PreconfirmedPart, presentBlocks } from '../node/rpc-state.ts';
import type { SimulatedChain } from '../simulated/chain.ts';
import { type BalanceLedger, MOST_LEDGER_BLOCKS } from '../simulated/ledger.ts';
import { type BalanceBefore, type Fragment, fragmentsOf } from './fragments.ts';
import {
  type FullStreamSettings,
  fullStreamSettings,
  type StreamSettings,
} from './stream-settings.ts';

/** Makes the chain grow, and announces every block before it is part of the chain. */
export interface Producer {
  /**
   * How much of the newest block has been announced; undefined before the first fragment, and
   * after that block was replaced.
   */
  preconfirmed(): PreconfirmedPart | undefined;
  /** Continues until the signal is aborted, and then resolves. */
  run(signal: AbortSignal): Promise<void>;
}

/** The clients of a stream. */
export interface Audience {
  send(message: JsonObject): void;
  /** Closes all connections. */
  disconnect(): void;
}

export interface ProducerOptions {
  readonly chain: SimulatedChain;
  readonly source: Pick<ChainSource, 'head' | 'growTo'>;
  readonly ledger: BalanceLedger;
  readonly audience: Audience;
  /** More than 0. */
  readonly blocksPerSecond: number;
  readonly effects: Effects;
  readonly settings?: StreamSettings;
}

/**
 * The announcement of a block waits for the balances of this many blocks. Counting a longer chain
 * takes seconds: until then, messages have no balances.
 */
const WAITED_BLOCKS = 1000;

/** The only producer of a source: no other code may make its primary chain grow while it runs. */
export function createProducer(options: ProducerOptions): Producer {
  const { chain, source, ledger, audience, effects } = options;
  const settings = fullStreamSettings(options.settings ?? {});
  const blockAt = presentBlocks(chain);
  const blockMs = 1000 / options.blocksPerSecond;
  let announced: Announcement | undefined;

  const isPresent = (block: NodeBlock): boolean => blockAt(block.height).hash === block.hash;
  const play = (block: NodeBlock, { messages, fragment, disconnects }: Slot): void => {
    announced = further(announced, block, fragment);
    for (const message of messages) audience.send(message);
    if (disconnects) audience.disconnect();
  };
  const produce = async (height: number, startMs: number, signal: AbortSignal): Promise<void> => {
    const before = await balancesAt(ledger, height - 1);
    const block = blockAt(height);
    const slots = slotsOf(block, before, settings);
    for (const [nth, slot] of slots.entries()) {
      play(block, slot);
      const dueMs = startMs + (blockMs * (nth + 1)) / slots.length;
      await effects.sleep(Math.max(0, dueMs - effects.now()), signal);
      // A reorganisation replaced the block: announce this height again with the new block.
      if (!isPresent(block)) return;
    }
    source.growTo(height);
  };

  return {
    preconfirmed: () =>
      announced !== undefined && isPresent(announced.block) ? announced.soFar : undefined,
    run: async (signal) => {
      const head = source.head('primary');
      // A failure ends the next announcement that needs the ledger.
      if (head < MOST_LEDGER_BLOCKS) ledger.reach(head).catch(() => undefined);
      let startMs = effects.now();
      while (!signal.aborted) {
        try {
          await produce(source.head('primary') + 1, startMs, signal);
        } catch (error) {
          if (signal.aborted) return;
          throw error;
        }
        // A producer that fell behind continues from the present time without catching up.
        startMs = Math.max(startMs + blockMs, effects.now() - blockMs);
      }
    },
  };
}

/** The announced part of a block. */
interface Announcement {
  readonly block: NodeBlock;
  readonly soFar: PreconfirmedPart;
}

/** The announced part never shrinks, even if the block starts again under another payload. */
function further(last: Announcement | undefined, block: NodeBlock, part: Fragment): Announcement {
  const base = last?.block.hash === block.hash ? last.soFar.count : 0;
  const { height } = block;
  return { block, soFar: { height, count: Math.max(base, part.count), blockHash: part.blockHash } };
}

async function balancesAt(ledger: BalanceLedger, height: number): Promise<BalanceBefore> {
  const isFar = height - ledger.reached() > WAITED_BLOCKS;
  if (height > MOST_LEDGER_BLOCKS || isFar) return () => undefined;
  await ledger.reach(height);
  return (address) => ledger.nativeAt(address, height);
}

/** The messages at one moment of a block. The moments of a block have equal distances. */
export interface Slot {
  readonly messages: readonly JsonObject[];
  /** The fragment that reaches the node, independent of its message. */
  readonly fragment: Fragment;
  /** All clients are disconnected after the messages. */
  readonly disconnects: boolean;
}

/** Bound on the payloads of a block, whatever faults are set. */
const MOST_PAYLOADS = 4;

/** The moments of a block with its faults, in order: one for every fragment of every payload. */
export function slotsOf(
  block: NodeBlock,
  balanceBefore: BalanceBefore,
  settings: FullStreamSettings,
): Slot[] {
  const slots: Slot[] = [];
  for (let payload = 0; payload < MOST_PAYLOADS; payload += 1) {
    const fragments = fragmentsOf(block, payload, balanceBefore, settings);
    const played = slotsOfPayload(fragments, block.height, payload, settings);
    slots.push(...played.slots);
    if (!played.beginsAgain) break;
  }
  return slots;
}

function slotsOfPayload(
  fragments: readonly Fragment[],
  height: number,
  payload: number,
  settings: FullStreamSettings,
): { slots: Slot[]; beginsAgain: boolean } {
  const slots: Slot[] = [];
  let held: JsonObject[] = [];
  for (const fragment of fragments) {
    const { index, payloadId, message } = fragment;
    const isLast = index === fragments.length - 1;
    const fault = settings.fault({ height, index, fragments: fragments.length, payload });
    const beginsAgain = fault === 'new-payload';
    const isHeld = fault === 'reorder' && !isLast;
    const copies = fault === 'drop' || isHeld ? 0 : fault === 'repeat' ? 2 : 1;
    const ownCopies = Array.from({ length: copies }, () => message);
    // Delayed messages follow the first message that is not delayed.
    const late = isHeld ? [] : held;
    held = isHeld ? [...held, message] : [];
    const ended = isLast && settings.endMessages && !beginsAgain;
    const messages = [...ownCopies, ...late, ...(ended ? [{ payload_id: payloadId }] : [])];
    slots.push({ messages, fragment, disconnects: fault === 'disconnect' });
    if (beginsAgain) return { slots, beginsAgain };
  }
  return { slots, beginsAgain: false };
}
