import { z } from 'zod';
import { ethBalance } from '../../../src/catalogue/rpc/methods/eth-get-balance.ts';
import type { SimulatedChain } from '../simulated/chain.ts';
import { RpcError } from './rpc-errors.ts';
import { answering, type BlockTag, paramsIn, type RpcAnswerer } from './rpc-params.ts';
import { type LogShape, logShapes, receiptShape, traceShape } from './rpc-shapes.ts';
import type { NodeState, SeenBlock } from './rpc-state.ts';

/** Methods of archive nodes that the interface does not name, at any height. */

const [addressParam, blockParam] = ethBalance.params;
const OF_BLOCK = { params: [blockParam] } as const;
const blockReceipts = { method: 'eth_getBlockReceipts', ...OF_BLOCK } as const;
const blockTraces = { method: 'debug_traceBlockByNumber', ...OF_BLOCK } as const;
const code = { method: 'eth_getCode', params: [addressParam, blockParam] } as const;

/** The code of contracts whose code is unknown: an instruction that is never valid. */
const UNKNOWN_CODE = '0xfe';
const MOST_LOG_BLOCKS = 1_000;

const oneOrMore = z.union([z.string().transform((text) => [text]), z.array(z.string())]);
const logFilter = z.looseObject({
  fromBlock: z.unknown(),
  toBlock: z.unknown(),
  address: oneOrMore.optional(),
  topics: z.array(z.union([z.null(), oneOrMore])).default([]),
});

/** The methods over the blocks of a chain. */
export function archiveMethods(
  state: NodeState,
  { codeAt, isContract }: SimulatedChain,
): readonly (readonly [string, RpcAnswerer])[] {
  return [
    answering(blockReceipts, ([tag]) => {
      const seen = state.block(tag);
      return seen?.transactions.map((transaction) => receiptShape(seen, transaction)) ?? null;
    }),
    answering(blockTraces, ([tag]) => presentBlock(state, tag).transactions.map(traceShape)),
    answering(code, ([address, tag]) => {
      presentBlock(state, tag);
      return codeAt(address) ?? (isContract(address) ? UNKNOWN_CODE : '0x');
    }),
    ['eth_getLogs', ([filter]) => logsOf(state, filter)],
  ];
}

/** The block of a tag. Throws an RpcError for a height that does not exist yet. */
export function presentBlock(state: NodeState, tag: BlockTag): SeenBlock {
  const seen = state.block(tag);
  if (seen !== undefined) return seen;
  throw new RpcError('unavailable', 'there is no such block');
}

function logsOf(state: NodeState, param: unknown): LogShape[] {
  const filter = logFilter.safeParse(param);
  if (!filter.success) throw new RpcError('invalid-params', 'parameter 1 is not a filter of logs');
  const { fromBlock, toBlock, address, topics } = filter.data;
  const heightOf = (value: unknown): number => {
    return presentBlock(state, paramsIn(OF_BLOCK, [value])[0]).block.height;
  };
  const from = heightOf(fromBlock);
  const to = heightOf(toBlock);
  if (to - from >= MOST_LOG_BLOCKS) {
    throw new RpcError('unavailable', `a range of logs has at most ${MOST_LOG_BLOCKS} blocks`);
  }
  const isOneOf = (value: string | undefined, wanted: readonly string[] | null | undefined) =>
    wanted == null || wanted.some((candidate) => candidate.toLowerCase() === value);
  const logs: LogShape[] = [];
  for (let height = from; height <= to; height += 1) {
    const seen = presentBlock(state, height);
    for (const log of seen.transactions.flatMap((transaction) => logShapes(seen, transaction))) {
      const hasTopics = topics.every((wanted, nth) => isOneOf(log.topics[nth], wanted));
      if (hasTopics && isOneOf(log.address, address)) logs.push(log);
    }
  }
  return logs;
}
