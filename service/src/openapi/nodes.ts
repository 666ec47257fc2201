import { z } from 'zod';
import { MOST_CALLS } from '../node/rpc.ts';
import { RPC_CODES } from '../node/rpc-errors.ts';
import { jsonSchema, refusalAnswers, refusalsOfPages } from './schemas.ts';
import type { Answer, OpenApiObject, PathItem } from './shape.ts';

/** The public nodes in the document: JSON-RPC as operations, streams as text. */

const JSON_BODY = 'application/json';
const METHOD = 'Name of a method, such as eth_blockNumber';

/** A call with an id. Members that are not listed are ignored. */
const call = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  method: z.string().meta({ description: METHOD }),
  params: z
    .array(z.unknown())
    .optional()
    .meta({ description: 'By position; named parameters are not supported' }),
});

/** A call without an id gets no reply, and its parameters are not read. */
const notification: OpenApiObject = {
  type: 'object',
  properties: {
    jsonrpc: { type: 'string', const: '2.0' },
    method: { type: 'string', description: METHOD },
    id: false,
  },
  required: ['jsonrpc', 'method'],
};

const one: OpenApiObject = { anyOf: [jsonSchema(call), notification] };
const requestSchema: OpenApiObject = {
  anyOf: [...(one['anyOf'] as readonly OpenApiObject[]), batchOf(one)],
};

const error = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.strictObject({
    code: z.literal(Object.values(RPC_CODES)),
    message: z.string().min(1),
  }),
});
const result = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  result: z.unknown(),
});
const answerSchema: OpenApiObject = {
  anyOf: [jsonSchema(result), jsonSchema(error), batchOf(jsonSchema(z.union([result, error])))],
};

function batchOf(items: OpenApiObject): OpenApiObject {
  return { type: 'array', minItems: 1, maxItems: MOST_CALLS, items };
}

/** One operation for each JSON-RPC path. These requests are not signed. */
export function rpcOperations(paths: Iterable<string>): Readonly<Record<string, PathItem>> {
  return Object.fromEntries([...paths].map((path) => [path, { post: operation(path) }]));
}

function operation(path: string): NonNullable<PathItem['post']> {
  return {
    operationId: path
      .replace(/^\//, '')
      .replace(/\/+(.)/g, (_, next: string) => next.toUpperCase()),
    summary: 'JSON-RPC 2.0 of a node of the chain, with the block tag pending',
    description: `Single calls, or at most ${MOST_CALLS} in a batch; errors have status 200.`,
    tags: ['node'],
    requestBody: { required: true, content: { [JSON_BODY]: { schema: requestSchema } } },
    responses: {
      200: answer('Results and errors, by the id of their call.', answerSchema),
      204: { description: 'The body has notifications only: there is no answer.', content: {} },
      415: answer('The content type is not application/json.', jsonSchema(error)),
      ...refusalAnswers(refusalsOfPages()),
    },
    security: [],
  };
}

function answer(description: string, schema: OpenApiObject): Answer {
  return { description, content: { [JSON_BODY]: { schema } } };
}

/** The document's text on streams, which are not operations; '' if there are none. */
export function streamsInWords(paths: Iterable<string>): string {
  const named = [...paths].join(', ');
  if (named === '') return '';
  return (
    `WebSockets at ${named} announce blocks in fragments before the blocks are complete. ` +
    'Clients only connect and listen: there is no subscription, and the service ignores ' +
    'messages from clients.'
  );
}
