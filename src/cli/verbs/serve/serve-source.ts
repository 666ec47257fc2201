import type { Effects } from '../../../effects.ts';
import { Fault } from '../../../fault.ts';
import type { MovableSource } from '../../../service/faults/chain.ts';
import { chainSource } from '../../../service/memory/chain-source.ts';
import type { Pause } from '../../../service/memory/computing.ts';
import { recordsSource } from '../../../service/memory/records-source.ts';
import type { PublicNodes } from '../../../service/stream/nodes.ts';
import { publicNodes } from '../../../service/stream/nodes.ts';
import type { DeployedCode } from '../../../service/verification/deployed-code.ts';
import { simulatedChain } from '../../../simulated/chain.ts';
import { memoryBytes } from '../../../system.ts';
import { wholeNumber } from '../../terminal/options.ts';

/** A served lake takes a quarter of the memory there is, but not less. */
const LEAST_LAKE_MEMORY_BYTES = 2 ** 30;

export interface SourceArguments {
  readonly chain?: string | undefined;
  readonly records?: string | undefined;
  readonly data?: string | undefined;
  readonly partial?: boolean | undefined;
  readonly head: string;
  readonly streamSpeed?: string | undefined;
}

export interface Opened {
  readonly source: MovableSource;
  /** Only a simulated chain has them. */
  readonly nodes?: PublicNodes;
  /** Only a simulated chain knows any. */
  readonly code?: DeployedCode;
  close(): Promise<void>;
}

/**
 * The one source that was named, which computes in slices with this pause between them. Throws the
 * signal's reason where it is aborted meanwhile.
 */
export async function openSource(
  given: SourceArguments,
  effects: Effects,
  pause: Pause,
  signal: AbortSignal,
): Promise<Opened> {
  const { chain, records, data } = given;
  const nothing = async (): Promise<void> => {};
  if ([chain, records, data].filter((each) => each !== undefined).length !== 1) {
    throw new Fault('usage', 'Serve a simulated chain, records on disk, or a lake.', {
      advice: 'Give exactly one of --chain SEED, --records DIR and --data DIR.',
    });
  }
  if (given.streamSpeed !== undefined && chain === undefined) {
    throw new Fault('usage', 'Only a simulated chain can grow.', {
      advice: 'Leave --stream-speed out, or serve --chain SEED.',
    });
  }
  if (given.partial === true && data === undefined) {
    throw new Fault('usage', 'Only a lake can be a part of a chain.', {
      advice: 'Leave --partial out, or serve --data DIR.',
    });
  }
  if (data !== undefined) {
    // Only a lake needs its database, which no other source should wait for.
    const { lakeSource } = await import('../../../service/lake/lake-source.ts');
    const memory = Math.max(LEAST_LAKE_MEMORY_BYTES, memoryBytes() / 4);
    const source = await lakeSource({
      root: data,
      effects,
      memoryBytes: memory,
      isPartAnswered: given.partial === true,
      signal,
    });
    return { source, close: () => source.close() };
  }
  if (records !== undefined) return { source: await recordsSource(records), close: nothing };
  const head = wholeNumber('--head', given.head, 0, 1_000_000_000);
  const simulated = simulatedChain({ seed: chain ?? '', head });
  const source = chainSource(simulated, { pause });
  const code: DeployedCode = async (address) => simulated.codeAt(address);
  if (given.streamSpeed === undefined) {
    return { source, nodes: publicNodes(simulated, source, { effects }), code, close: nothing };
  }
  const options = { effects, blocksPerSecond: speedOf(given) };
  // One alone may make a chain grow: this one does so by itself.
  const { growTo: _, ...rest } = source;
  return { source: rest, nodes: publicNodes(simulated, source, options), code, close: nothing };
}

function speedOf({ streamSpeed = '' }: SourceArguments): number {
  const speed = Number(streamSpeed);
  if (/^[0-9]+(\.[0-9]+)?$/.test(streamSpeed) && speed >= 0.01 && speed <= 1000) return speed;
  throw new Fault('usage', `--stream-speed is no speed (${JSON.stringify(streamSpeed)}).`, {
    advice: 'Give a number of blocks a second from 0.01 to 1000; 0.0833 is real time.',
  });
}
