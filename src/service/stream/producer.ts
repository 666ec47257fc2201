import type { Effects } from '../../effects.ts';
import type { SimulatedChain } from '../../simulated/chain.ts';
import type { ChainSource } from '../memory/chain-source.ts';
import type { NodeBlock } from '../node/rpc-blocks.ts';
import type { NodeLedger } from '../node/rpc-ledger.ts';
import { MOST_LEDGER_BLOCKS } from '../node/rpc-ledger.ts';
import type { JsonObject } from '../node/rpc-shapes.ts';
import type { Preconfirmed } from '../node/rpc-state.ts';
import { presentBlocks } from '../node/rpc-state.ts';
import type { BalanceBefore, Fragment } from './fragments.ts';
import type { Slot } from './slots.ts';
import { slotsOf } from './slots.ts';
import type { StreamSettings } from './stream-settings.ts';
import { fullStreamSettings } from './stream-settings.ts';

/** Makes the chain grow, and tells of every block before it is there. */
export interface Producer {
  /**
   * How much is told of the newest block that any fragment was about; undefined before the first
   * fragment, and once that block was replaced.
   */
  preconfirmed(): Preconfirmed | undefined;
  /** Goes on until the signal is aborted, and resolves then. */
  run(signal: AbortSignal): Promise<void>;
}

/** Who hears what is told. */
export interface Audience {
  send(message: JsonObject): void;
  /** Cuts off everybody who listens. */
  disconnect(): void;
}

export interface ProducerOptions {
  readonly chain: SimulatedChain;
  readonly source: Pick<ChainSource, 'head' | 'growTo'>;
  readonly ledger: NodeLedger;
  readonly audience: Audience;
  /** More than 0. */
  readonly blocksPerSecond: number;
  readonly effects: Effects;
  readonly settings?: StreamSettings;
}

/** The one producer of a source: nobody else may make its primary chain grow in the meantime. */
export function createProducer(options: ProducerOptions): Producer {
  const { chain, source, ledger, audience, effects } = options;
  const settings = fullStreamSettings(options.settings ?? {});
  const blockAt = presentBlocks(chain);
  const blockMs = 1000 / options.blocksPerSecond;
  let told: Told | undefined;

  const isPresent = (block: NodeBlock): boolean => blockAt(block.height).hash === block.hash;
  const play = (block: NodeBlock, { messages, told: fragment, disconnects }: Slot): void => {
    told = further(told, block, fragment);
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
      // What lies below was reorganised: the height begins anew with another block.
      if (!isPresent(block)) return;
    }
    source.growTo(height);
  };

  return {
    preconfirmed: () => (told !== undefined && isPresent(told.block) ? told.soFar : undefined),
    run: async (signal) => {
      let startMs = effects.now();
      while (!signal.aborted) {
        try {
          await produce(source.head('primary') + 1, startMs, signal);
        } catch (error) {
          if (signal.aborted) return;
          throw error;
        }
        // A producer that fell behind goes on from now, and does not hurry.
        startMs = Math.max(startMs + blockMs, effects.now() - blockMs);
      }
    },
  };
}

/** What is told of a block. */
interface Told {
  readonly block: NodeBlock;
  readonly soFar: Preconfirmed;
}

/** What is told never becomes less, even where the block begins again under another payload. */
function further(told: Told | undefined, block: NodeBlock, of: Fragment): Told {
  const before = told?.block.hash === block.hash ? told.soFar.count : 0;
  const { height } = block;
  return { block, soFar: { height, count: Math.max(before, of.count), blockHash: of.blockHash } };
}

async function balancesAt(ledger: NodeLedger, height: number): Promise<BalanceBefore> {
  if (height >= MOST_LEDGER_BLOCKS) return () => undefined;
  await ledger.reach(height);
  return (address) => ledger.nativeAt(address, height);
}
