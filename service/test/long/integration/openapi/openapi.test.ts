import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { endpoints, findEndpoint } from '../../../../../src/catalogue/index.ts';
import { Secret } from '../../../../../src/fetch/http/signature.ts';
import { serviceOver } from '../../../../../test/contract/asking.ts';
import { codesDocument } from '../../../../../test/contract/codes-document.ts';
import { quietEffects } from '../../../../../test/fixtures/quiet-effects.ts';
import { chainSource } from '../../../../src/memory/chain-source.ts';
import { createRpc } from '../../../../src/node/rpc.ts';
import { nodeMethods } from '../../../../src/node/rpc-methods.ts';
import { openApiDocument } from '../../../../src/openapi/openapi.ts';
import { numbersBetween } from '../../../../src/openapi/parameters.ts';
import type {
  Content,
  OpenApiDocument,
  OpenApiObject,
  Operation,
} from '../../../../src/openapi/shape.ts';
import { REFUSALS } from '../../../../src/protocol/errors.ts';
import { DEFAULT_NAMES } from '../../../../src/protocol/source.ts';
import { ENDLESS_SLICE } from '../../../../src/protocol/time-slices.ts';
import type { Service } from '../../../../src/server/service.ts';
import type { ServiceSettings } from '../../../../src/settings/settings.ts';
import { fullSettings } from '../../../../src/settings/settings.ts';
import { simulatedChain } from '../../../../src/simulated/chain.ts';
import { ledgerOf } from '../../../../src/simulated/ledger.ts';

const chain = simulatedChain({ seed: 'document', head: 1200, zoneStart: 1150 });
const CREDENTIALS = {
  accessKey: new Secret('key'),
  secretKey: new Secret('secret'),
  passphrase: new Secret('phrase'),
};

async function get(service: Service, target: string) {
  return service.answer({ method: 'GET', target, headers: {}, body: '' });
}

async function served(settings: ServiceSettings = {}): Promise<OpenApiDocument> {
  const answer = await get(serviceOver(chainSource(chain), settings), '/openapi.json');
  expect(answer.status).toBe(200);
  return JSON.parse(answer.body) as OpenApiDocument;
}

const document = await served();

/** Operations of the interface, with the path they are asked at. */
function operations(api: OpenApiDocument): [string, Operation][] {
  return Object.entries(api.paths)
    .filter(([path]) => path.startsWith('/api/v5/'))
    .map(([path, { get: read, post }]) => [path, (read ?? post) as Operation]);
}

const readings = operations(document).filter(([, { parameters }]) => parameters !== undefined);

function answerSchemaOf(path: string): z.ZodType {
  const { operationId } = operations(document).find(([key]) => key === path)?.[1] ?? {};
  const schema = document.components.schemas[`${operationId}Answer`] ?? {};
  return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
}

describe('the document', () => {
  it("has every operation of the interface once, and the service's own pages", () => {
    const paths = operations(document).map(([path]) => path.replace('/api/v5/', ''));
    const submission = 'mainchain/contract/verify-source-code';
    const result = 'mainchain/contract/check-verify-result';
    expect(paths.indexOf(result)).toBe(paths.indexOf(submission) + 1);
    expect(paths.filter((path) => path !== result)).toEqual(endpoints.map(({ path }) => path));
    const extras = Object.keys(document.paths).filter((path) => !path.startsWith('/api/'));
    expect(extras.sort()).toEqual(['/docs', '/healthz', '/metrics', '/openapi.json']);
    const ids = Object.values(document.paths).map((item) => (item.get ?? item.post)?.operationId);
    expect(new Set(ids).size).toBe(endpoints.length + 1 + extras.length);
  });

  it.each(readings)('%s: has the parameters of its entry, all of them text', (path, operation) => {
    const entry = findEndpoint(path.replace('/api/v5/', ''));
    const { parameters = [] } = operation;
    expect(parameters.map(({ name }) => name)).toEqual(entry?.params.map(({ name }) => name));
    for (const { name, schema } of parameters) {
      expect(schema['type'], name).toBe('string');
      expect(schema['pattern'] ?? schema['enum'], name).toBeDefined();
    }
  });

  it.each(readings)('%s: its example finds a record that the document allows', async (path) => {
    const { parameters = [] } = document.paths[path]?.get ?? {};
    const query = parameters.flatMap(({ name, example }): [string, string][] =>
      example === undefined ? [] : [[name, example]],
    );
    for (const { name, example, schema } of parameters) {
      const isAllowed = new RegExp(String(schema['pattern'] ?? '')).test(example ?? '');
      if (example !== undefined) expect(isAllowed, name).toBe(true);
    }
    const target = `${path}?${new URLSearchParams(query)}`;
    const answer = await get(serviceOver(chainSource(chain)), target);
    const body: unknown = JSON.parse(answer.body);
    expect(answerSchemaOf(path).parse(body)).toEqual(body);
    expect(JSON.stringify(body)).toMatch(/"(txId|txid|hash|holderAddress|zoneTxHash)":"0x/);
  });

  it('allows no field beyond those of the records, and no other type', async () => {
    const path = '/api/v5/mainchain/block/block-fills';
    const target = `${path}?chainShortName=MAINCHAIN&height=7`;
    const { body } = await get(serviceOver(chainSource(chain)), target);
    const parsed = JSON.parse(body) as { data: [Record<string, unknown>] };
    const takes = (change: Record<string, unknown>): boolean => {
      const data = [{ ...parsed.data[0], ...change }];
      return answerSchemaOf(path).safeParse({ ...parsed, data }).success;
    };
    expect(takes({})).toBe(true);
    expect(takes({ height: '' })).toBe(true);
    for (const change of [{ more: '' }, { height: 7 }, { height: 'x' }, { hash: '7' }]) {
      expect(takes(change), JSON.stringify(change)).toBe(false);
    }
  });

  it('says how far apart the bounds of a range may be', () => {
    const spans = operations(document).map(([, call]) => call['x-block-range']?.['maxDifference']);
    expect(spans.filter((span) => span !== undefined)).toEqual(['10000', '10000', '10000']);
  });

  it('tells of every refusal that an operation can be answered with, and of no other', () => {
    const statuses = (api: OpenApiDocument, path: string): string[] =>
      Object.keys((api.paths[path]?.get ?? api.paths[path]?.post)?.responses ?? {});
    const list = '/api/v5/mainchain/block/block-list';
    expect(statuses(document, list)).toEqual('200 400 404 408 413 417 421 431 500'.split(' '));
    const settings = fullSettings({ credentials: [CREDENTIALS], capStyle: 'error' });
    const signed = openApiDocument(settings, DEFAULT_NAMES);
    expect(statuses(signed, list)).toContain('401');
    const capped = JSON.stringify(signed.paths[list]);
    expect(capped).toContain(REFUSALS['beyond-cap'].code);
    expect(JSON.stringify(document.paths[list])).not.toContain(REFUSALS['beyond-cap'].code);
    const keyed = JSON.stringify(document.paths['/api/v5/mainchain/transaction/transaction-multi']);
    expect(keyed).toContain(REFUSALS['too-many-items'].code);
    expect(keyed).not.toContain(REFUSALS['no-blocks'].code);
    expect(capped).toContain(REFUSALS['no-blocks'].code);
    expect(JSON.stringify(document.paths[list])).not.toContain(REFUSALS['too-many-items'].code);
  });

  it('asks for the four headers together where they are checked, and not elsewhere', () => {
    expect(document.components.securitySchemes).toBeUndefined();
    const settings = fullSettings({ credentials: [CREDENTIALS], headerPrefix: 'X-' });
    const signed = openApiDocument(settings, DEFAULT_NAMES);
    const headers = Object.values(signed.components.securitySchemes ?? {}).map(
      (param) => param['name'],
    );
    expect(headers).toEqual(
      'X-ACCESS-KEY X-ACCESS-SIGN X-ACCESS-PASSPHRASE X-ACCESS-TIMESTAMP'.split(' '),
    );
    for (const [path, { security }] of operations(signed)) {
      expect(
        security?.map((scheme) => Object.keys(scheme).length),
        path,
      ).toEqual([4]);
    }
    expect(signed.paths['/healthz']?.get?.security).toEqual([]);
  });

  it("follows the deployment's own names and page sizes", async () => {
    const path = '/api/v5/chain/second/block/block-list';
    const maxPageSize = { 'mainchain/zone/block/block-list': 7 };
    const settings = { pathSegment: 'chain', zoneSegment: 'second', maxPageSize };
    const limit = (await served(settings)).paths[path]?.get?.parameters?.find(
      ({ name }) => name === 'limit',
    );
    expect(limit).toMatchObject({ description: 'page size; 1 to 7', schema: { default: '7' } });
  });

  it("describes the call for a verification's result, and the answers of both", () => {
    const at = (name: string) => document.paths[`/api/v5/mainchain/contract/${name}`]?.post;
    const result = at('check-verify-result');
    const { schema } = result?.requestBody?.content['application/json'] ?? {};
    expect(schema?.['required']).toEqual(['chainShortName', 'guid']);
    expect(result?.description).toContain('Pending, Success or Fail');
    const codesOf = (name: string) => JSON.stringify(at(name)?.responses);
    for (const kind of ['no-contract', 'too-many-jobs', 'code-unknown'] as const) {
      expect(codesOf('verify-source-code')).toContain(REFUSALS[kind].code);
      expect(codesOf('check-verify-result')).not.toContain(REFUSALS[kind].code);
    }
    expect(codesOf('check-verify-result')).toContain(REFUSALS['unknown-job'].code);
    expect(codesOf('verify-source-code')).not.toContain(REFUSALS['unknown-job'].code);
    const list = JSON.stringify(document.paths['/api/v5/mainchain/block/block-list']);
    expect(list).not.toContain(REFUSALS['cannot-verify'].code);
  });

  it('has the same requirements for a body as the service', () => {
    const path = '/api/v5/mainchain/contract/verify-source-code';
    const content = document.paths[path]?.post?.requestBody?.content['application/json'];
    const { allOf, ...body } = (content?.schema ?? {}) as OpenApiObject & {
      allOf: OpenApiObject[];
    };
    expect(body['required']).toEqual([
      'chainShortName',
      'contractAddress',
      'contractName',
      'sourceCode',
      'codeFormat',
    ]);
    expect(allOf.map((rule) => (rule['anyOf'] as OpenApiObject[])[1]?.['required'])).toEqual([
      ['compilerVersion'],
      ['optimization'],
    ]);
    expect(body['properties']).toMatchObject({
      viaIr: { type: 'boolean' },
      libraryInfo: { maxItems: 10 },
    });
  });
});

describe('the pattern for whole numbers', () => {
  it.each([
    [0, 9],
    [1, 5],
    [1, 20],
    [1, 100],
    [0, 99],
    [0, 1234],
    [1, 3007],
  ] as const)('%i to %i takes these numbers and no other text', (least, most) => {
    const pattern = new RegExp(`^(${numbersBetween({ least, most })})$`);
    for (let number = 0; number <= 11_000; number += 1) {
      expect(pattern.test(String(number)), String(number)).toBe(number >= least && number <= most);
    }
    for (const text of ['', '-1', '01', '+1', '1.0', ' 1', '00']) {
      expect(pattern.test(text), text).toBe(false);
    }
  });
});

describe('public nodes in the document', () => {
  const nodes = { rpcs: ['/rpc', '/test/rpc'], streams: ['/stream'] };
  const described = openApiDocument(fullSettings({}), DEFAULT_NAMES, new Map(), nodes);
  const operation = described.paths['/rpc']?.post;
  const schemaOf = (content: Content | undefined) =>
    z.fromJSONSchema({ ...(content?.['application/json']?.schema ?? {}) });
  const schema = schemaOf(operation?.requestBody?.content);
  const told = schemaOf(operation?.responses['200']?.content);
  const inputs = { chain, source: chainSource(chain), ledger: ledgerOf(chain, ENDLESS_SLICE) };
  const rpc = createRpc(nodeMethods(inputs), quietEffects());

  it('are there only where they are served', () => {
    expect(document.paths).not.toHaveProperty('/rpc');
    expect(document.info.description).not.toContain('WebSocket');
    expect(described.paths).toHaveProperty('/test/rpc');
    expect(described.info.description).toContain('WebSockets at /stream');
    const ids = Object.values(described.paths).map((path) => (path.get ?? path.post)?.operationId);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('need no signature, whoever else has to sign', () => {
    const settings = fullSettings({ credentials: [CREDENTIALS] });
    const signed = openApiDocument(settings, DEFAULT_NAMES, new Map(), nodes);
    expect(signed.paths['/rpc']?.post?.security).toEqual([]);
  });

  const call = (more: object = {}) => ({ jsonrpc: '2.0', id: 1, method: 'eth_chainId', ...more });
  const notification = { jsonrpc: '2.0', method: 'eth_chainId' };
  const bodies: readonly unknown[] = [
    ...[call(), call({ id: null }), call({ id: 'x' }), call({ id: 1.5 }), call({ more: 1 })],
    ...[call({ params: [] }), call({ params: {} }), call({ params: null }), call({ id: {} })],
    ...[call({ jsonrpc: '1.0' }), call({ jsonrpc: 2 }), call({ method: 5 }), call({ id: true })],
    ...[notification, { ...notification, params: {} }, { ...notification, jsonrpc: '1' }, {}, []],
    ...[[call()], [notification], [call(), {}], [call(), notification], [[]], [{}], null, 5, 'x'],
    ...[Array.from({ length: 100 }, () => call()), Array.from({ length: 101 }, () => call())],
    call({ method: 'eth_nothing' }),
    call({ method: 'eth_getBalance', params: ['x'] }),
  ];

  it.each(bodies.map((body) => [JSON.stringify(body).slice(0, 60), body]))(
    'foretell what becomes of %s',
    async (_, body) => {
      const headers = { 'content-type': 'application/json' };
      const text = JSON.stringify(body);
      const answer = await rpc.answer({ method: 'POST', target: '/rpc', headers, body: text });
      expect(operation?.responses).toHaveProperty(String(answer.status));
      if (answer.status === 204) {
        expect(schema.safeParse(body).success).toBe(true);
        return;
      }
      const parsed: unknown = JSON.parse(answer.body);
      expect(told.safeParse(parsed).error).toBeUndefined();
      const codes = [parsed]
        .flat()
        .map((reply) => (reply as { error?: { code: number } }).error?.code);
      // A call of a form that is none is refused as such; unknown methods are of the right form.
      const isMalformed = codes.some((code) => code === -32_600) || /"params":(\{|n)/.test(text);
      expect(schema.safeParse(body).success, answer.body).toBe(!isMalformed);
    },
  );
});

describe('the table of codes', () => {
  const file = fileURLToPath(new URL('../../../../../docs/service-codes.md', import.meta.url));

  it('is current: UPDATE=1 writes it again', () => {
    if (process.env['UPDATE'] === '1') {
      writeFileSync(file, codesDocument());
    }
    expect(readFileSync(file, 'utf8')).toBe(codesDocument());
  });

  it('has one code for every refusal, and never that of success', () => {
    const codes = Object.values(REFUSALS).map(({ code }) => code);
    expect(new Set(codes).size).toBe(codes.length);
    for (const code of codes) expect(code).toMatch(/^50[0-9]{3}$/);
  });
});
