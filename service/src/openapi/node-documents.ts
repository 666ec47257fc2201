import { rpcMethods } from '../../../src/catalogue/rpc/rpc-catalogue.ts';
import { FORMS } from '../../../src/catalogue/rpc/rpc-form.ts';
import type { RpcMethod, RpcParam } from '../../../src/catalogue/rpc/rpc-method.ts';
import {
  FRAGMENT_MEMBERS,
  type MessageMember,
} from '../../../src/catalogue/stream/fragment-message.ts';
import type { OpenApiObject } from './shape.ts';

/** The documents of the public nodes: OpenRPC for JSON-RPC, and AsyncAPI for the streams. */

const VERSION = '5.0.0';
const TAGS = ['latest', 'safe', 'finalized', 'earliest', 'pending'];

/** The OpenRPC 1.3 document of these paths of a host, from the methods of the catalogue. */
export function openRpcDocument(paths: readonly string[], host: string): OpenApiObject {
  return {
    openrpc: '1.3.2',
    info: { title: 'JSON-RPC of the chain, with the block tag pending', version: VERSION },
    servers: paths.map((path) => ({ name: path, url: `http://${host}${path}` })),
    methods: rpcMethods.map((entry) => ({
      name: entry.method,
      summary: entry.summary,
      paramStructure: 'by-position',
      params: entry.params.map((param) => ({
        name: param.name,
        summary: param.meaning,
        required: param.required,
        schema: paramSchema(param),
      })),
      result: { name: 'result', schema: resultSchema(entry) },
    })),
  };
}

function paramSchema({ type }: RpcParam): OpenApiObject {
  switch (type) {
    case 'address':
      return FORMS.address.schema;
    case 'hash':
      return FORMS.hash.schema;
    case 'block':
      return { anyOf: [{ type: 'string', enum: TAGS }, FORMS.quantity.schema] };
    case 'flag':
      return { type: 'boolean' };
    case 'call':
      return {
        type: 'object',
        properties: { to: FORMS.address.schema, data: FORMS.bytes.schema },
        required: ['to', 'data'],
      };
  }
}

/** An object may be null, and so may its members. */
function resultSchema({ result, fields }: RpcMethod): OpenApiObject {
  const [first] = fields;
  if (result === 'value') return first === undefined ? {} : FORMS[first.form].schema;
  const properties = fields.map(({ wire, form }): [string, OpenApiObject] => {
    return [wire, { anyOf: [FORMS[form].schema, { type: 'null' }] }];
  });
  const object = { type: 'object', properties: Object.fromEntries(properties) };
  return { anyOf: [object, { type: 'null' }] };
}

/** The AsyncAPI 3 document of the streams at these paths of a host. */
export function asyncApiDocument(paths: readonly string[], host: string): OpenApiObject {
  const named = paths.map((path): [string, string] => {
    return [path.replaceAll('/', '_').replace(/^_/, ''), path];
  });
  const fragment = { $ref: '#/components/messages/fragment' };
  return {
    asyncapi: '3.0.0',
    info: {
      title: 'Stream of preconfirmed block fragments',
      version: VERSION,
      description: 'Clients connect and listen: there is no subscription.',
    },
    servers: { service: { host, protocol: 'ws' } },
    channels: Object.fromEntries(
      named.map(([name, address]) => [name, { address, messages: { fragment } }]),
    ),
    operations: Object.fromEntries(
      named.map(([name]) => [
        `send_${name}`,
        {
          action: 'send',
          channel: { $ref: `#/channels/${name}` },
          messages: [{ $ref: `#/channels/${name}/messages/fragment` }],
        },
      ]),
    ),
    components: {
      messages: {
        fragment: {
          title: 'A part of a block, sent before the block is complete',
          contentType: 'application/json',
          payload: objectSchema(FRAGMENT_MEMBERS),
        },
      },
    },
  };
}

function objectSchema(members: readonly MessageMember[]): OpenApiObject {
  return {
    type: 'object',
    properties: Object.fromEntries(members.map((member) => [member.name, memberSchema(member)])),
    required: members.flatMap(({ name, isAlways }) => (isAlways ? [name] : [])),
  };
}

function memberSchema({ form, meaning: description, members = [], isAlways }: MessageMember) {
  switch (form) {
    case 'integer':
      return { type: 'integer', minimum: 0, description };
    case 'hex':
      return { type: 'string', pattern: '^0x[0-9a-fA-F]*$', description };
    case 'list':
      return { type: 'array', description };
    case 'map':
      return { type: 'object', description };
    case 'object': {
      const type = isAlways ? 'object' : ['object', 'null'];
      return { ...objectSchema(members), type, description };
    }
  }
}
