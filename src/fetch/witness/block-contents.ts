import { asMapping, type Mapping } from '../../json-in.ts';
import type { Movement } from './movement.ts';
import { hex, lowerText, type NodeQuestion, objectsIn, question, wholeIn } from './question.ts';

export interface BodyTransaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly value: bigint;
}

/** A block with its transactions. */
export interface BlockBody {
  readonly miner: string | undefined;
  readonly baseFee: bigint;
  readonly transactions: readonly BodyTransaction[];
  readonly withdrawals: readonly Movement[];
}

const WEI_PER_GWEI = 1_000_000_000n;

export function blockBody(height: number): NodeQuestion<BlockBody> {
  return question('eth_getBlockByNumber', [hex(height), true], (result) => {
    const block = asMapping(result);
    const transactions = objectsIn(block['transactions'])?.map(transactionIn);
    if (!transactions?.every((transaction) => transaction !== undefined)) return undefined;
    return {
      miner: lowerText(block['miner']),
      baseFee: wholeIn(block['baseFeePerGas']) ?? 0n,
      transactions,
      withdrawals: (objectsIn(block['withdrawals']) ?? []).map((withdrawal) => ({
        ...nameless('withdrawal', height),
        to: lowerText(withdrawal['address']) ?? null,
        amount: (wholeIn(withdrawal['amount']) ?? 0n) * WEI_PER_GWEI,
      })),
    };
  });
}

function nameless(leg: 'withdrawal' | 'reward', height: number): Movement {
  const unnamed = { txHash: null, logIndex: null, from: null, to: null, tokenId: null };
  return { leg, height, ...unnamed, amount: 0n };
}

/** The reward of the block's validator for fees. */
export function rewardOf(to: string, amount: bigint, height: number): Movement {
  return { ...nameless('reward', height), to, amount };
}

function transactionIn(transaction: Mapping): BodyTransaction | undefined {
  const [hash, from] = [lowerText(transaction['hash']), lowerText(transaction['from'])];
  const value = wholeIn(transaction['value']);
  if (hash === undefined || from === undefined || value === undefined) return undefined;
  return { hash, from, to: lowerText(transaction['to']) ?? null, value };
}

/** Value that calls inside of transactions move, and rewards, by `trace_block`. */
export function tracesIn(height: number): NodeQuestion<readonly Movement[]> {
  return question('trace_block', [hex(height)], (result) => {
    const traces = objectsIn(result);
    if (traces === undefined) return undefined;
    const failed = new Set(traces.filter(({ error }) => error !== undefined).map(placeOf));
    return traces.flatMap((trace) => {
      const movement = movementOfTrace(trace, height);
      return movement === undefined || isBelow(trace, failed) ? [] : [movement];
    });
  });
}

function placeOf({ transactionHash, traceAddress }: Mapping): string {
  return [transactionHash, ...pathOf(traceAddress)].join('/');
}

function pathOf(traceAddress: unknown): readonly unknown[] {
  return Array.isArray(traceAddress) ? traceAddress : [];
}

/** Whether the call, or one that made it, has failed. */
function isBelow(trace: Mapping, failed: ReadonlySet<string>): boolean {
  const path = pathOf(trace['traceAddress']);
  for (let length = 0; length <= path.length; length += 1) {
    if (failed.has([trace['transactionHash'], ...path.slice(0, length)].join('/'))) return true;
  }
  return false;
}

function movementOfTrace(trace: Mapping, height: number): Movement | undefined {
  const action = asMapping(trace['action']);
  const txHash = lowerText(trace['transactionHash']) ?? null;
  const base = { ...nameless('reward', height), txHash };
  if (trace['type'] === 'reward') {
    const amount = wholeIn(action['value']) ?? 0n;
    return { ...base, to: lowerText(action['author']) ?? null, amount };
  }
  if (trace['type'] === 'suicide') {
    const from = lowerText(action['address']) ?? null;
    const to = lowerText(action['refundAddress']) ?? null;
    return { ...base, leg: 'internal', from, to, amount: wholeIn(action['balance']) ?? 0n };
  }
  const isMove = trace['type'] === 'create' || action['callType'] === 'call';
  // The outermost call is the transaction itself.
  if (!isMove || pathOf(trace['traceAddress']).length === 0) return undefined;
  const made = lowerText(asMapping(trace['result'])['address']);
  return {
    ...base,
    leg: 'internal',
    from: lowerText(action['from']) ?? null,
    to: lowerText(action['to']) ?? made ?? null,
    amount: wholeIn(action['value']) ?? 0n,
  };
}

const MOVING = ['CALL', 'CREATE', 'CREATE2', 'SELFDESTRUCT'];

/** Value that calls inside of transactions move, by `debug_traceBlockByNumber`. */
export function callsIn(height: number): NodeQuestion<readonly Movement[]> {
  const params = [hex(height), { tracer: 'callTracer' }];
  return question('debug_traceBlockByNumber', params, (result) =>
    objectsIn(result)?.flatMap(({ txHash, result: outermost }) => {
      const base = { ...nameless('reward', height), txHash: lowerText(txHash) ?? null };
      return movementsBelow(asMapping(outermost), { ...base, leg: 'internal' });
    }),
  );
}

function movementsBelow(call: Mapping, base: Movement): Movement[] {
  if (call['error'] !== undefined) return [];
  return (objectsIn(call['calls']) ?? []).flatMap((inner) => {
    const isMove = MOVING.includes(String(inner['type'])) && inner['error'] === undefined;
    const amount = wholeIn(inner['value']) ?? 0n;
    const parties = { from: lowerText(inner['from']) ?? null, to: lowerText(inner['to']) ?? null };
    return [...(isMove ? [{ ...base, ...parties, amount }] : []), ...movementsBelow(inner, base)];
  });
}
