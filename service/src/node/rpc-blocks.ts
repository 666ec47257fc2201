import { BLOB_GAS, type Executed, keccakHex, type SimulatedChain } from '../simulated/chain.ts';
import { recentAnswers } from '../simulated/primitives/recent.ts';
import { bloomOf, type Log, logsOf, tokenUnits } from './rpc-logs.ts';

/** A block in the form that nodes and streams report, with its transactions in order. */
export interface NodeBlock {
  readonly height: number;
  readonly hash: string;
  readonly parentHash: string;
  readonly timeSeconds: number;
  readonly miner: string;
  readonly baseFeeWei: bigint;
  readonly gasLimit: number;
  readonly sizeBytes: number;
  readonly transactionsRoot: string;
  readonly transactions: readonly NodeTransaction[];
}

export interface NodeTransaction {
  readonly executed: Executed;
  readonly index: number;
  readonly logs: readonly Log[];
  /** Number of events in the block before those of this transaction. */
  readonly firstLog: number;
  /** Gas of the block up to and including this transaction. */
  readonly cumulativeGas: number;
}

/** Totals of the first transactions of a block. */
export interface Totals {
  readonly gasUsed: number;
  readonly blobGasUsed: number;
  readonly logsBloom: string;
}

const ZERO_HASH = `0x${'0'.repeat(64)}`;
const KEPT_BLOCKS = 64;

/** The blocks of a chain by height. Any height may be requested. */
export function nodeBlocks(chain: SimulatedChain): (height: number) => NodeBlock {
  const units = tokenUnits(chain.tokens);
  const hashAt = recentAnswers((height) => ({ hash: chain.executedAt(height).place.hash }), 64);
  return recentAnswers((height) => {
    const record = chain.recordsAt(height).blocks[0] ?? {};
    const { place, baseFeeWei, executed } = chain.executedAt(height);
    return {
      height,
      hash: place.hash,
      parentHash: height === 0 ? ZERO_HASH : hashAt(height - 1).hash,
      timeSeconds: Math.floor(Number(place.time) / 1000),
      miner: String(record['miner']),
      baseFeeWei,
      gasLimit: Number(record['gas_limit']),
      sizeBytes: Number(record['block_size']),
      transactionsRoot: String(record['merkle_root']),
      transactions: inOrder(executed, (execution) => logsOf(execution, units)),
    };
  }, KEPT_BLOCKS);
}

function inOrder(executed: readonly Executed[], logsIn: (execution: Executed) => Log[]) {
  let firstLog = 0;
  let cumulativeGas = 0;
  return executed.map((execution, index): NodeTransaction => {
    const logs = logsIn(execution);
    cumulativeGas += execution.gasUsed;
    const done = { executed: execution, index, logs, firstLog, cumulativeGas };
    firstLog += logs.length;
    return done;
  });
}

/** Gas and events of a block with these transactions. */
export function totalsOf(first: readonly NodeTransaction[]): Totals {
  const blobs = first.reduce((total, entry) => total + entry.executed.raw.blobHashes.length, 0);
  return {
    gasUsed: first.at(-1)?.cumulativeGas ?? 0,
    blobGasUsed: blobs * BLOB_GAS,
    logsBloom: bloomOf(first.flatMap(({ logs }) => logs)),
  };
}

/** A hash in place of a root, because the chain keeps no tries. The roots of a block differ. */
export function placeholderRoot(root: string, blockHash: string): string {
  return keccakHex(Buffer.from(`${root} ${blockHash}`));
}
