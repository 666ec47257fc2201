import { Agent, request } from 'node:http';

/** A JSON-RPC client without the code of windrow. */

const agent = new Agent({ keepAlive: true, maxSockets: 4 });
const BATCH_CALLS = 200;

/** POSTs a body; resolves with the status and the text of the answer. */
export function post(url, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
    };
    const sent = request(url, { method: 'POST', agent, headers }, (response) => {
      const parts = [];
      response.on('data', (part) => parts.push(part));
      response.on('error', reject);
      response.on('end', () => {
        resolve({ status: response.statusCode, text: Buffer.concat(parts).toString() });
      });
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** The results of calls `[method, ...params]` in their order. Throws for the first error. */
export async function results(url, calls) {
  const replies = [];
  for (let from = 0; from < calls.length; from += BATCH_CALLS) {
    const batch = calls.slice(from, from + BATCH_CALLS).map(([method, ...params], nth) => {
      return { jsonrpc: '2.0', id: from + nth, method, params };
    });
    const answers = new Map(
      JSON.parse((await post(url, JSON.stringify(batch))).text).map((reply) => [reply.id, reply]),
    );
    for (const { id, method } of batch) {
      const { result, error } = answers.get(id) ?? { error: 'no answer' };
      if (error !== undefined) throw new Error(`${method}: ${JSON.stringify(error)}`);
      replies.push(result);
    }
  }
  return replies;
}

export async function result(url, method, ...params) {
  return (await results(url, [[method, ...params]]))[0];
}

export const hex = (value) => `0x${BigInt(value).toString(16)}`;
