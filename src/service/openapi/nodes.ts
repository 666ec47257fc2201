import { z } from 'zod';
import { MOST_CALLS } from '../node/rpc.ts';
import { RPC_CODES } from '../node/rpc-errors.ts';
import { jsonSchema, refusalAnswers, refusalsOfPages } from './schemas.ts';
import type { Answer, OpenApiObject, PathItem } from './shape.ts';

/** The public nodes of chains in the document: JSON-RPC as operations, streams in words. */

const JSON_BODY = 'application/json';
const METHOD = 'Name of a method, such as eth_blockNumber';

/** A call that is answered. Members that it does not name are ignored. */
const call = z.looseObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  method: z.string().meta({ description: METHOD }),
  params: z.array(z.unknown()).optional().meta({ description: 'By place; names are not taken' }),
});

/** A call that nobody wants to know the end of: its parameters are not even looked at. */
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

const failed = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  error: z.strictObject({
    code: z.literal(Object.values(RPC_CODES)),
    message: z.string().min(1),
  }),
});
const answered = z.strictObject({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string(), z.number(), z.null()]),
  result: z.unknown(),
});
const answerSchema: OpenApiObject = {
  anyOf: [
    jsonSchema(answered),
    jsonSchema(failed),
    batchOf(jsonSchema(z.union([answered, failed]))),
  ],
};

function batchOf(items: OpenApiObject): OpenApiObject {
  return { type: 'array', minItems: 1, maxItems: MOST_CALLS, items };
}

/** One operation for each path that JSON-RPC is answered at. Nothing of it is signed. */
export function rpcOperations(paths: Iterable<string>): Readonly<Record<string, PathItem>> {
  return Object.fromEntries([...paths].map((path) => [path, { post: operation(path) }]));
}

function operation(path: string): NonNullable<PathItem['post']> {
  return {
    operationId: path
      .replace(/^\//, '')
      .replace(/\/+(.)/g, (_, next: string) => next.toUpperCase()),
    summary: 'JSON-RPC 2.0 of a node of the chain, with the block tag pending',
    description: `Calls alone or up to ${MOST_CALLS} in a batch; errors of calls have status 200.`,
    tags: ['node'],
    requestBody: { required: true, content: { [JSON_BODY]: { schema: requestSchema } } },
    responses: {
      200: answer('Results and errors, by the id of their call.', answerSchema),
      204: { description: 'Nothing but notifications: there is no answer.', content: {} },
      415: answer('The content type is not application/json.', jsonSchema(failed)),
      ...refusalAnswers(refusalsOfPages()),
    },
    security: [],
  };
}

function answer(description: string, schema: OpenApiObject): Answer {
  return { description, content: { [JSON_BODY]: { schema } } };
}

/** What the document says of streams, which are no operations; '' where there are none. */
export function streamsInWords(paths: Iterable<string>): string {
  const named = [...paths].join(', ');
  if (named === '') return '';
  return (
    `WebSockets at ${named} tell of blocks in fragments before they are there: connect and ` +
    'listen; nothing is sent to subscribe, and nothing that is sent is read.'
  );
}
