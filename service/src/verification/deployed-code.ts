import { Fault } from '../../../src/fault.ts';
import { TransportFailure } from '../../../src/fetch/transport/failures.ts';
import type { Environment } from '../../../src/fetch/transport/proxy.ts';
import { type Transport, undiciTransport } from '../../../src/fetch/transport/transport.ts';
import { Refusal } from '../protocol/errors.ts';

/**
 * The code that is deployed at an address, hex with 0x; undefined if there is none. Rejects with a
 * Refusal if it cannot be read now.
 */
export type DeployedCode = (address: string) => Promise<string | undefined>;

/** Reads deployed code from a JSON-RPC node. */
export interface CodeNode {
  readonly code: DeployedCode;
  close(): Promise<void>;
}

const TIMEOUTS = { connectMs: 5_000, headersMs: 10_000, bodyMs: 10_000, totalMs: 10_000 };
const CONNECTIONS = 4;
/** Code has at most 24,576 bytes on present chains, and twice as many digits. */
const MOST_BODY_BYTES = 2 ** 20;
const CODE = /^0x([0-9a-fA-F]{2})*$/;

/**
 * Reads the newest code from a node by `eth_getCode`. The URL may hold a key and is never logged or
 * repeated; redirects are not followed. `env` may name a proxy. Throws a Fault for a URL that is
 * not http(s).
 */
export function codeNode(url: string, env: Environment): CodeNode {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new Fault('usage', '--code-rpc is not the URL of a node.', {
      advice: 'Give the http or https URL of a JSON-RPC node.',
    });
  }
  const { pathname, search } = new URL(url);
  const { send, close } = undiciTransport({
    baseUrl: url,
    connections: CONNECTIONS,
    timeouts: TIMEOUTS,
    maxBodyBytes: MOST_BODY_BYTES,
    env,
  });
  return { code: (address) => codeAt(send, pathname + search, address), close };
}

async function codeAt(send: Transport, path: string, address: string): Promise<string | undefined> {
  const params = [address, 'latest'];
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_getCode', params });
  const headers = { 'content-type': 'application/json' };
  const never = new AbortController().signal;
  const answer = await send({ method: 'POST', target: path, headers, body }, never).catch(
    (error: unknown) => {
      if (error instanceof TransportFailure) throw unknown();
      throw error;
    },
  );
  const code = resultIn(answer.body);
  if (answer.status !== 200 || typeof code !== 'string' || !CODE.test(code)) throw unknown();
  return code === '0x' ? undefined : code.toLowerCase();
}

function resultIn(body: string): unknown {
  try {
    const answer: unknown = JSON.parse(body);
    return typeof answer === 'object' && answer !== null && 'result' in answer
      ? answer.result
      : undefined;
  } catch {
    return undefined;
  }
}

function unknown(): Refusal {
  return new Refusal('code-unknown', 'the node cannot provide the deployed code now');
}
