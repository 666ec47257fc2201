import { createServer } from 'node:http';
import {
  decodeFunctionData,
  decodeFunctionResult,
  encodeFunctionResult,
  multicall3Abi,
} from 'viem';
import { MULTICALL } from './chain.mjs';
import { post } from './rpc.mjs';

/** A proxy before a node that counts calls, and may fail, lag, lack state or lie. */

const STATE_METHODS = {
  eth_getBalance: 1,
  eth_getTransactionCount: 1,
  eth_getCode: 1,
  eth_call: 1,
};
const TRACES = ['trace_block', 'trace_transaction', 'debug_traceBlockByNumber'].concat(
  'debug_traceBlockByHash',
  'debug_traceTransaction',
);

/**
 * Forwards calls to `target`. `options.refuses(method, params)` is a message with which a call
 * fails, `options.status` an HTTP status of every answer, `options.changes(method, params, result)`
 * replaces a result.
 */
export async function witness(target, options = {}) {
  const calls = new Map();
  let requests = 0;
  const server = createServer(async (request, response) => {
    const parts = [];
    for await (const part of request) parts.push(part);
    requests += 1;
    const body = JSON.parse(Buffer.concat(parts).toString());
    const batch = Array.isArray(body) ? body : [body];
    for (const { method } of batch) calls.set(method, (calls.get(method) ?? 0) + 1);
    response.setHeader('content-type', 'application/json');
    if (options.status !== undefined) {
      response.statusCode = options.status;
      response.end('the node is down');
      return;
    }
    const { text } = await post(target, JSON.stringify(batch));
    const answered = JSON.parse(text);
    if (!Array.isArray(answered)) {
      response.end(text);
      return;
    }
    const answers = answered.map((answer) => {
      const { method, params = [] } = batch.find(({ id }) => id === answer.id);
      const message = options.refuses?.(method, params);
      const { jsonrpc, id, result } = answer;
      if (message !== undefined) return { jsonrpc, id, error: { code: -32000, message } };
      if (result === undefined || options.changes === undefined) return answer;
      return { jsonrpc, id, result: options.changes(method, params, result) };
    });
    response.end(JSON.stringify(Array.isArray(body) ? answers : answers[0]));
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}`,
    calls,
    total: () => [...calls.values()].reduce((sum, count) => sum + count, 0),
    requests: () => requests,
    close: () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

const heightIn = (method, params) => {
  const tag = params[STATE_METHODS[method]];
  return /^0x/.test(tag ?? '') ? Number(tag) : undefined;
};

/** Nodes of every kind that a pipeline may name. */
export const KINDS = {
  fails: () => ({ status: 503 }),
  lags: (head) => ({
    changes: (method, params, result) => {
      if (method === 'eth_blockNumber') return `0x${head.toString(16)}`;
      const isAbove = method === 'eth_getBlockByNumber' && Number(params[0]) > head;
      return isAbove ? null : result;
    },
    refuses: (method, params) => (heightIn(method, params) > head ? 'header not found' : undefined),
  }),
  prunes: (from) => ({
    refuses: (method, params) =>
      heightIn(method, params) < from
        ? `missing trie node 1234 (path 0a) state is not available`
        : undefined,
  }),
  lies: (address) => ({
    changes: (method, params, result) => {
      if (method === 'eth_call' && params[0].to === MULTICALL) {
        return aggregateWithLie(params[0].data, address, result);
      }
      const isLie = method === 'eth_getBalance' && params[0].toLowerCase() === address;
      return isLie ? `0x${(BigInt(result) + 1n).toString(16)}` : result;
    },
  }),
  'has no traces': () => ({
    refuses: (method) => (TRACES.includes(method) ? 'the method does not exist' : undefined),
  }),
};

/** Results of Multicall3 in which the native balance of an address is another one. */
function aggregateWithLie(input, address, output) {
  const form = { abi: multicall3Abi, functionName: 'aggregate3' };
  const [calls] = decodeFunctionData({ abi: multicall3Abi, data: input }).args;
  const results = decodeFunctionResult({ ...form, data: output }).map((reply, nth) => {
    const { target, callData } = calls[nth];
    const isLie = target.toLowerCase() === MULTICALL && callData.endsWith(address.slice(2));
    const other = BigInt(reply.returnData) + 1n;
    return isLie ? { ...reply, returnData: `0x${other.toString(16).padStart(64, '0')}` } : reply;
  });
  return encodeFunctionResult({ ...form, result: results });
}
