import { z } from 'zod';
import type { Endpoint } from '../../../src/catalogue/entry.ts';
import { RECORD_CAP_HEADER } from '../answer/reply.ts';
import { routesOf } from '../answer/routes.ts';
import { REFUSALS } from '../protocol/errors.ts';
import type { Source } from '../protocol/source.ts';
import type { FullSettings } from '../settings/settings.ts';
import { rpcOperations, streamsInWords } from './nodes.ts';
import { blockRangeOf, bodySchema, type Deployment, queryParameters } from './parameters.ts';
import {
  answerSchema,
  jsonSchema,
  refusalAnswers,
  refusalSchema,
  refusalsOf,
  refusalsOfPages,
} from './schemas.ts';
import type { Answer, OpenApiDocument, OpenApiObject, Operation, PathItem } from './shape.ts';

/** Example values that find records, by the endpoint's path and the name of the parameter. */
export type Examples = ReadonlyMap<string, Readonly<Record<string, string>>>;

const JSON_BODY = 'application/json';

const DESCRIPTION = [
  'Every answer is an envelope of code, msg and data; code 0 means success.',
  'An empty parameter counts as absent, a repeated one is refused, and unknown ones are ignored.',
  'The first block of a range must not lie above the last; x-block-range gives the largest',
  'distance between them, if it is limited.',
].join(' ');

/** The paths of the public nodes. */
export interface NodePaths {
  readonly rpcs: Iterable<string>;
  readonly streams: Iterable<string>;
}

const NO_NODES: NodePaths = { rpcs: [], streams: [] };

/**
 * The document of this deployment, including the authentication headers if it uses them. It follows
 * the settings and ignores the plan of faults. Writing it takes 0.1 s.
 */
export function openApiDocument(
  settings: FullSettings,
  names: Source['names'],
  examples: Examples = new Map(),
  nodes: NodePaths = NO_NODES,
): OpenApiDocument {
  const routes = [...routesOf(settings)];
  const schemes = securitySchemes(settings);
  const operations: [string, PathItem][] = [];
  const schemas: [string, OpenApiObject][] = [];
  for (const [path, entry] of routes) {
    const shortName = names[entry.axis].shortName;
    const at = { settings, shortName, examples: examples.get(entry.path) ?? {} };
    operations.push([
      path,
      { [entry.method === 'GET' ? 'get' : 'post']: operation(entry, at, schemes) },
    ]);
    schemas.push([answerName(entry), jsonSchema(answerSchema(entry, settings))]);
  }
  const paths = {
    ...Object.fromEntries(operations),
    ...rpcOperations(nodes.rpcs),
    ...pageOperations(),
  };
  const streams = streamsInWords(nodes.streams);
  const description = streams === '' ? DESCRIPTION : `${DESCRIPTION} ${streams}`;
  return {
    openapi: '3.1.0',
    info: { title: 'Chain explorer query service', version: 'v5', description },
    servers: [{ url: '/' }],
    tags: tagsOf(paths).map((name) => ({ name })),
    paths,
    components: {
      schemas: Object.fromEntries(schemas),
      ...(schemes === undefined ? {} : { securitySchemes: schemes }),
    },
  };
}

function operation(
  entry: Endpoint,
  at: Deployment,
  schemes: Readonly<Record<string, OpenApiObject>> | undefined,
): Operation {
  const range = blockRangeOf(entry);
  return {
    operationId: operationId(entry),
    summary: entry.summary,
    ...(entry.contradictions === undefined
      ? {}
      : { description: entry.contradictions.join('\n\n') }),
    tags: [entry.path.split('/').slice(1, -1).join('/')],
    ...(entry.method === 'GET'
      ? { parameters: queryParameters(entry, at) }
      : {
          requestBody: {
            required: true,
            content: { [JSON_BODY]: { schema: bodySchema(entry, at) } },
          },
        }),
    responses: answersOf(entry, at.settings),
    // All headers are required together.
    ...(schemes === undefined
      ? {}
      : { security: [Object.fromEntries(Object.keys(schemes).map((name) => [name, []]))] }),
    ...(range === undefined ? {} : { 'x-block-range': range }),
  };
}

/** The path as one word, such as `mainchainBlockBlockList`. */
function operationId({ path }: Endpoint): string {
  return path.replace(/[/-]+(.)/g, (_, letter: string) => letter.toUpperCase());
}

function answerName(entry: Endpoint): string {
  return `${operationId(entry)}Answer`;
}

/** Some refusals have the HTTP status of success: either envelope can then come with it. */
function answersOf(entry: Endpoint, settings: FullSettings): Record<string, Answer> {
  const kinds = refusalsOf(entry, settings);
  const success = { $ref: `#/components/schemas/${answerName(entry)}` };
  const also = kinds.filter((kind) => REFUSALS[kind].status === 200);
  const schema =
    also.length === 0 ? success : { anyOf: [success, jsonSchema(refusalSchema(also))] };
  const meaning = ['The requested records.', ...also.map((kind) => REFUSALS[kind].meaning)];
  const isCapped = entry.reply.shape === 'paged' && entry.axis === 'primary';
  const description = 'Record cap of the list';
  const headers = { [RECORD_CAP_HEADER]: { description, schema: { type: 'string' } } };
  return {
    200: {
      description: meaning.join(' '),
      ...(isCapped ? { headers } : {}),
      content: { [JSON_BODY]: { schema } },
    },
    ...refusalAnswers(kinds.filter((kind) => REFUSALS[kind].status !== 200)),
  };
}

/** The values of the authentication headers whose names do not explain them. */
const SCHEMES: Readonly<Record<string, string>> = {
  'ACCESS-SIGN':
    'base64(HMAC-SHA256(secret key, timestamp + method + target + body)): the timestamp as in ' +
    'its header, the method in capitals, the target as in the request line (path and query), and ' +
    'the body as it is sent, empty for GET',
  'ACCESS-TIMESTAMP': 'ISO 8601 UTC with milliseconds, at most 30 s off',
};

function securitySchemes({ credentials, headerPrefix }: FullSettings) {
  if (credentials.length === 0) return undefined;
  const schemes = ['ACCESS-KEY', 'ACCESS-SIGN', 'ACCESS-PASSPHRASE', 'ACCESS-TIMESTAMP'].map(
    (name): [string, OpenApiObject] => {
      const description = SCHEMES[name];
      const scheme = { type: 'apiKey', in: 'header', name: headerPrefix + name };
      return [name, description === undefined ? scheme : { ...scheme, description }];
    },
  );
  return Object.fromEntries(schemes);
}

function tagsOf(paths: Readonly<Record<string, PathItem>>): string[] {
  const tags = Object.values(paths).flatMap(({ get, post }) => [
    ...(get?.tags ?? []),
    ...(post?.tags ?? []),
  ]);
  return [...new Set(tags)];
}

/** The service's own pages as operations of its document. They are not signed. */

/** The answer of `/healthz`: the newest height of either axis, or -1. */
const healthSchema = z.strictObject({
  status: z.literal('ok'),
  primaryHeight: z.string().regex(/^(-1|0|[1-9][0-9]*)$/),
  zoneHeight: z.string().regex(/^(-1|0|[1-9][0-9]*)$/),
});

/** The operations by path; all of them take GET. */
function pageOperations(): Readonly<Record<string, PathItem>> {
  return {
    '/healthz': page('healthz', 'Whether the source can be read', {
      200: answer('It can.', 'application/json', healthSchema),
      ...refusalAnswers(['unavailable']),
    }),
    '/metrics': page('metrics', 'Counters and durations, for Prometheus', {
      200: answer('Text format 0.0.4.', 'text/plain', z.string()),
    }),
    '/openapi.json': page('openapi', 'This document', {
      200: answer('OpenAPI 3.1.', 'application/json', documentSchema),
    }),
    '/docs': page('docs', 'This document as an API reference', {
      200: answer('A page that loads files of this service alone.', 'text/html', z.string()),
    }),
  };
}

const documentSchema = z.looseObject({
  openapi: z.literal('3.1.0'),
  info: z.looseObject({ title: z.string(), version: z.string() }),
  paths: z.record(z.string(), z.unknown()),
});

function page(operationId: string, summary: string, answers: Operation['responses']): PathItem {
  const responses = { ...answers, ...refusalAnswers(refusalsOfPages()) };
  return { get: { operationId, summary, tags: ['service'], responses, security: [] } };
}

function answer(description: string, type: string, schema: z.ZodType): Answer {
  return { description, content: { [type]: { schema: jsonSchema(schema) } } };
}
