import type { Effects } from '../../effects.ts';
import { type SimulatedChain, simulatedChain } from '../../simulated/chain.ts';
import type { ChainSource } from '../memory/chain-source.ts';
import { chainSource } from '../memory/chain-source.ts';
import { MAIN_PATHS, TEST_PATHS } from '../node/no-node.ts';
import type { Rpc } from '../node/rpc.ts';
import { createRpc } from '../node/rpc.ts';
import { ledgerOf } from '../node/rpc-ledger.ts';
import { createProducer } from './producer.ts';
import type { StreamServer } from './stream-server.ts';
import { createStreamServer } from './stream-server.ts';
import type { StreamSettings } from './stream-settings.ts';

/** The JSON-RPC endpoints and streams of a deployment, by their paths. */
export interface PublicNodes {
  readonly rpcs: ReadonlyMap<string, Rpc>;
  readonly streams: ReadonlyMap<string, StreamServer>;
  /** Lets chains grow, if they do, until the signal is aborted. Rejects when one of them cannot. */
  run(signal: AbortSignal): Promise<void>;
}

export interface NodeOptions {
  readonly effects: Effects;
  /** How fast the chains grow, each block told in advance. Absent: they stay, without a stream. */
  readonly blocksPerSecond?: number;
  readonly stream?: StreamSettings;
}

/** The chain of the test network is young. */
const TEST_HEAD = 100;

/**
 * The nodes of the main network at /rpc and /stream, and of a test network with a chain of its own
 * at /test/rpc and /test/stream. Streams are there only if chains grow.
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
  const networks = [
    { paths: MAIN_PATHS, node: nodeOf(source, options) },
    { paths: TEST_PATHS, node: nodeOf(chainSource(testChain), options) },
  ];
  return {
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
  const { chain } = source;
  const { effects, blocksPerSecond, stream: settings = {} } = options;
  const ledger = ledgerOf(chain, effects);
  if (blocksPerSecond === undefined) {
    const rpc = createRpc({ chain, source, ledger, effects });
    return { rpc, stream: undefined, run: aborted };
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
  return { rpc: createRpc({ chain, source, ledger, effects, preconfirmed }), stream, run };
}
