import { expect, it } from 'vitest';
import { virtualClock } from '../../../test/fixtures/virtual-clock.ts';
import { chainSource } from '../../src/memory/chain-source.ts';
import { createService } from '../../src/server/service.ts';
import { simulatedChain } from '../../src/simulated/chain.ts';
import { publicNodes } from '../../src/stream/nodes.ts';

interface Schema {
  readonly type?: string;
  readonly pattern?: string;
  readonly enum?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
}
interface OpenRpc {
  readonly servers: readonly { readonly url: string }[];
  readonly methods: readonly {
    readonly name: string;
    readonly params: readonly { readonly schema: Schema }[];
  }[];
}

const chain = simulatedChain({ seed: 'described', head: 5 });
const effects = virtualClock();
const source = chainSource(chain);
const nodes = publicNodes(chain, source, { effects, blocksPerSecond: 1 });
const service = createService({ source, effects, nodes });

async function body(method: 'GET' | 'POST', target: string, sent = ''): Promise<unknown> {
  const headers = { host: 'x', 'content-type': 'application/json' };
  const answer = await service.answer({ method, target, headers, body: sent });
  expect(answer.status, target).toBe(200);
  return JSON.parse(answer.body);
}

/** A value that the schema allows; nothing else is known about the parameter. */
function example({ type, pattern = '', enum: words, anyOf, properties }: Schema): unknown {
  if (anyOf !== undefined) return example(anyOf[0] ?? {});
  if (words !== undefined) return words[0];
  if (type === 'boolean') return true;
  if (properties !== undefined) {
    return Object.fromEntries(Object.entries(properties).map(([key, of]) => [key, example(of)]));
  }
  const digits = Number(/\{(\d+)\}\$$/.exec(pattern)?.[1] ?? 2);
  return `0x${'1'.repeat(digits === 2 ? 8 : digits)}`;
}

it('a client made from the OpenRPC document alone calls every method', async () => {
  const { servers, methods } = (await body('GET', '/openrpc.json')) as OpenRpc;
  expect(methods).toHaveLength(7);
  expect(servers.map(({ url }) => new URL(url).host)).toEqual(['x', 'x']);
  for (const { url } of servers) {
    const calls = methods.map(({ name, params }, id) => {
      return { jsonrpc: '2.0', id, method: name, params: params.map((of) => example(of.schema)) };
    });
    const answers = (await body('POST', new URL(url).pathname, JSON.stringify(calls))) as object[];
    for (const answer of answers) expect(answer).toHaveProperty('result');
  }
});

it('the AsyncAPI document names the streams and their message', async () => {
  const document = (await body('GET', '/asyncapi.json')) as {
    readonly channels: Readonly<Record<string, { readonly address: string }>>;
    readonly components: object;
  };
  const addresses = Object.values(document.channels).map(({ address }) => address);
  expect(addresses).toEqual([...nodes.streams.keys()]);
  expect(document.components).toMatchObject({
    messages: { fragment: { payload: { required: ['index', 'payload_id', 'diff', 'metadata'] } } },
  });
});
