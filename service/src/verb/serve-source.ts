import type { Effects } from '../../../src/effects.ts';
import { Fault } from '../../../src/fault.ts';
import { wholeNumber } from '../../../src/pipeline/syntax/fields.ts';
import { memoryBytes } from '../../../src/system.ts';
import { chainSource } from '../memory/chain-source.ts';
import { recordFiles, recordsSource } from '../memory/records-source.ts';
import type { Source } from '../protocol/source.ts';
import type { TimeSlices } from '../protocol/time-slices.ts';
import { simulatedChain } from '../simulated/chain.ts';
import { type PublicNodes, publicNodes } from '../stream/nodes.ts';
import type { DeployedCode } from '../verification/deployed-code.ts';

/** A served lake takes a quarter of the machine's memory, and at least this. */
const LEAST_LAKE_MEMORY_BYTES = 2 ** 30;

/** The ranking of a longer chain takes more than ten seconds: it is computed on its first use. */
const MOST_RANKED_AHEAD = 100_000;

export interface SourceArguments {
  readonly chain?: string | undefined;
  readonly records?: string | undefined;
  readonly data?: string | undefined;
  readonly partial?: boolean | undefined;
  readonly head: string;
  readonly streamSpeed?: string | undefined;
}

export interface Opened {
  readonly source: Source;
  /** Present for a simulated chain only. */
  readonly nodes?: PublicNodes;
  /** Present for a simulated chain only. */
  readonly code?: DeployedCode;
  close(): Promise<void>;
}

/**
 * Throws a Fault for arguments that do not name exactly one source, and for a path without records
 * or without a lake. Opens nothing, because a large lake takes seconds.
 */
export async function checkSource(input: SourceArguments): Promise<void> {
  const { chain, records, data } = input;
  if ([chain, records, data].filter((option) => option !== undefined).length !== 1) {
    throw new Fault('usage', 'serve needs one source.', {
      advice: 'Give exactly one of --chain SEED, --records DIR and --data DIR.',
    });
  }
  if (input.streamSpeed !== undefined && chain === undefined) {
    throw new Fault('usage', '--stream-speed needs --chain.', {
      advice: 'Omit --stream-speed, or serve --chain SEED.',
    });
  }
  if (input.partial === true && data === undefined) {
    throw new Fault('usage', '--partial needs --data.', {
      advice: 'Omit --partial, or serve --data DIR.',
    });
  }
  if (records !== undefined) await recordFiles(records);
  if (data !== undefined) await (await lakeSources()).servedChains(data);
}

/**
 * Opens the one source that was named; it computes in these slices. Throws the signal's reason if
 * it is aborted meanwhile.
 */
export async function openSource(
  input: SourceArguments,
  effects: Effects,
  slices: TimeSlices,
  signal: AbortSignal,
): Promise<Opened> {
  const { chain, records, data } = input;
  const nothing = async (): Promise<void> => {};
  if (data !== undefined) {
    const { lakeSource } = await lakeSources();
    const memory = Math.max(LEAST_LAKE_MEMORY_BYTES, memoryBytes() / 4);
    const source = await lakeSource({
      root: data,
      effects,
      memoryBytes: memory,
      isPartAnswered: input.partial === true,
      signal,
    });
    return { source, close: () => source.close() };
  }
  if (records !== undefined) return { source: await recordsSource(records), close: nothing };
  const head = wholeNumber('--head', input.head, 0, 1_000_000_000);
  const simulated = simulatedChain({ seed: chain ?? '', head });
  const source = chainSource(simulated, { slices, ranksAhead: head <= MOST_RANKED_AHEAD });
  const code: DeployedCode = async (address) => simulated.codeAt(address);
  if (input.streamSpeed === undefined) {
    return {
      source,
      nodes: publicNodes(simulated, source, { effects, slices }),
      code,
      close: nothing,
    };
  }
  const options = { effects, slices, blocksPerSecond: speedOf(input) };
  // Only one caller may make a chain grow, and this chain grows by itself.
  const { growTo: _, ...rest } = source;
  const nodes = publicNodes(simulated, source, options);
  const { pending } = nodes;
  const served = pending === undefined ? rest : { ...rest, pending };
  return { source: served, nodes, code, close: nothing };
}

/** Loads the database only for a lake, because other sources do not need it. */
function lakeSources() {
  return import('../lake/lake-source.ts');
}

function speedOf({ streamSpeed = '' }: SourceArguments): number {
  const speed = Number(streamSpeed);
  if (/^[0-9]+(\.[0-9]+)?$/.test(streamSpeed) && speed >= 0.01 && speed <= 1000) return speed;
  throw new Fault(
    'usage',
    `--stream-speed ${JSON.stringify(streamSpeed)} is not a number from 0.01 to 1000.`,
    {
      advice: 'Give the number of blocks a second; 0.0833 is real time.',
    },
  );
}
