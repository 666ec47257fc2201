import type { Effects } from '../../../src/effects.ts';
import { type ChainSource, chainSource } from '../memory/chain-source.ts';
import { MAIN_PATHS, TEST_PATHS } from '../node/no-node.ts';
import { createRpc, type Rpc } from '../node/rpc.ts';
import { nodeMethods } from '../node/rpc-methods.ts';
import type { Source } from '../protocol/source.ts';
import { ENDLESS_SLICE, type TimeSlices } from '../protocol/time-slices.ts';
import { type SimulatedChain, simulatedChain } from '../simulated/chain.ts';
import { listPendingTransactions } from './pending-transactions.ts';
import { createProducer } from './producer.ts';
import { createStreamServer, type StreamServer } from './stream-server.ts';
import type { StreamSettings } from './stream-settings.ts';

/** The JSON-RPC endpoints and streams of a deployment, by their paths. */
export interface PublicNodes {
  readonly rpcs: ReadonlyMap<string, Rpc>;
  readonly streams: ReadonlyMap<string, StreamServer>;
  /** The preconfirmed transactions of the main network. Absent: its chain does not grow. */
  readonly pending?: NonNullable<Source['pending']>;
  /** Lets growing chains grow until the signal is aborted. Rejects if one of them fails. */
  run(signal: AbortSignal): Promise<void>;
}

export interface NodeOptions {
  readonly effects: Effects;
  /** The slices of long computations. Default: other requests wait for the whole computation. */
  readonly slices?: TimeSlices;
  /**
   * How fast the chains grow, each block announced in advance. Absent: they do not grow and have no
   * stream.
   */
  readonly blocksPerSecond?: number;
  readonly stream?: StreamSettings;
}

/** The chain of the test network is young. */
const TEST_HEAD = 100;

/**
 * The nodes of the main network at /rpc and /stream, and of a test network with its own chain at
 * /test/rpc and /test/stream. Streams exist only if chains grow.
 */
export function publicNodes(
  chain: SimulatedChain,
  source: ChainSource,
  options: NodeOptions,
): PublicNodes {
  const testChain = simulatedChain({
    seed: `${chain.seed} test`,
    head: Math.min(chain.head, TEST_HEAD),
  });
  const { slices = ENDLESS_SLICE } = options;
  const main = nodeOf(source, options);
  const networks = [
    { paths: MAIN_PATHS, node: main },
    { paths: TEST_PATHS, node: nodeOf(chainSource(testChain, { slices }), options) },
  ];
  return {
    ...(main.pending === undefined ? {} : { pending: main.pending }),
    rpcs: new Map(networks.map(({ paths, node }) => [paths.rpc, node.rpc])),
    streams: new Map(
      networks.flatMap(({ paths, node }) =>
        node.stream === undefined ? [] : [[paths.stream, node.stream] as const],
      ),
    ),
    run: async (signal) => {
      await Promise.all(networks.map(({ node }) => node.run(signal)));
    },
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}

function nodeOf(source: ChainSource, options: NodeOptions) {
  const { chain, ledger } = source;
  const { effects, blocksPerSecond, stream: settings = {} } = options;
  if (blocksPerSecond === undefined) {
    const rpc = createRpc(nodeMethods({ chain, source, ledger }), effects);
    return { rpc, stream: undefined, pending: undefined, run: aborted };
  }
  const stream = createStreamServer(effects, settings);
  const producer = createProducer({
    chain,
    source,
    ledger,
    audience: stream,
    blocksPerSecond,
    effects,
    settings,
  });
  const { preconfirmed, run } = producer;
  const pending = listPendingTransactions({ chain, source, preconfirmed });
  const rpc = createRpc(nodeMethods({ chain, source, ledger, preconfirmed }), effects);
  return { rpc, stream, pending, run };
}
