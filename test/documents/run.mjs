/**
 * The served OpenRPC and AsyncAPI documents must satisfy the tools of their own makers, and clients
 * that know nothing but a document must be able to talk to the service.
 *
 *     npm run build && npm ci --prefix test/documents && node test/documents/run.mjs
 */
import { spawn } from 'node:child_process';
import { on, once } from 'node:events';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import WebSocket from 'ws';
import { packageOf } from '../interop/package-of.mjs';
import { Tally } from '../interop/tally.mjs';

const MESSAGES = 12;

const here = import.meta.dirname;
const main = process.env.WINDROW_MAIN ?? join(here, '../../dist/cli/main.js');
const { Parser } = packageOf('test/documents', '@asyncapi/parser');
const { parseOpenRPCDocument, MethodCallValidator } = packageOf(
  'test/documents',
  '@open-rpc/schema-utils-js',
);
const Ajv = packageOf('test/documents', 'ajv');
const tally = new Tally();

const options = ['--chain', 'demo', '--head', '200', '--stream-speed', '20', '--no-auth'];
const service = spawn(process.execPath, [main, 'serve', ...options, '--port', '0', '--json'], {
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const [line] = await once(createInterface({ input: service.stdout }), 'line');
  const { url } = JSON.parse(line);
  await holdOpenRpc(url);
  await holdAsyncApi(url);
} catch (error) {
  tally.holds(`all steps can be taken: ${error.stack}`, false);
} finally {
  service.kill();
}
tally.close();

async function textOf(url, path) {
  return (await fetch(`${url}${path}`)).text();
}

async function holdOpenRpc(url) {
  const text = await textOf(url, '/openrpc.json');
  const document = await parseOpenRPCDocument(text).catch((error) => ({ error: error.message }));
  tally.equal('the OpenRPC document is valid', document.error, undefined);
  const spoiled = JSON.stringify({ ...JSON.parse(text), info: {} });
  const refusal = await parseOpenRPCDocument(spoiled).catch((error) => error.message);
  tally.holds('an OpenRPC document without a title is not', typeof refusal === 'string');

  const calls = new MethodCallValidator(document);
  for (const { name, params, result } of document.methods) {
    const sent = params.map(({ schema }) => example(schema));
    tally.equal(`the parameters of ${name} are valid`, calls.validate(name, sent), []);
    for (const server of document.servers) {
      const answer = await call(new URL(server.url, url), name, sent);
      const isValid =
        'result' in answer && new Ajv({ strict: false }).validate(result.schema, answer.result);
      tally.holds(`${name} at ${server.url} answers as described`, isValid, answer);
    }
  }
}

async function call(url, method, params) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  });
  return response.json();
}

/** A value that the schema allows. */
function example({ anyOf, enum: words, type, pattern = '', properties }) {
  if (anyOf !== undefined) return example(anyOf[0]);
  if (words !== undefined) return words[0];
  if (type === 'boolean') return true;
  if (properties !== undefined) {
    const named = Object.entries(properties).map(([name, schema]) => [name, example(schema)]);
    return Object.fromEntries(named);
  }
  const digits = Number(/\{(\d+)\}\$$/.exec(pattern)?.[1] ?? 8);
  return `0x${'1'.repeat(digits)}`;
}

async function holdAsyncApi(url) {
  const text = await textOf(url, '/asyncapi.json');
  const { document, diagnostics } = await new Parser().parse(text);
  const errors = diagnostics.filter(({ severity }) => severity === 0);
  tally.equal(
    'the AsyncAPI document is valid',
    errors.map(({ message }) => message),
    [],
  );
  const spoiled = { ...JSON.parse(text), channels: [] };
  const { document: none } = await new Parser().parse(JSON.stringify(spoiled));
  tally.equal('an AsyncAPI document with a list of channels is not', none, undefined);

  const operations = document.operations().filterBySend();
  tally.holds('the document has a stream', operations.length > 0);
  for (const operation of operations) {
    const [channel] = operation.channels().all();
    const [server] = channel.servers().all();
    const address = `${server.protocol()}://${server.host()}${channel.address()}`;
    const [message] = operation.messages().all();
    const validate = new Ajv({ strict: false }).compile(message.payload().json());
    const received = await messagesOf(address);
    tally.equal(`${address} sends messages`, received.length, MESSAGES);
    const invalid = received.filter((reply) => !validate(JSON.parse(reply)));
    tally.equal(`messages of ${channel.address()} are as described`, invalid, []);
  }
}

/** The first messages of a stream. */
async function messagesOf(address) {
  const socket = new WebSocket(address);
  const received = [];
  for await (const [data] of on(socket, 'message', { close: ['close'] })) {
    received.push(String(data));
    if (received.length === MESSAGES) break;
  }
  socket.terminate();
  return received;
}
