import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../../service/src/simulated/chain.ts';
import { windrowProcess } from '../../e2e/command-line.ts';
import { PIPELINE, serve } from '../../e2e/harness.ts';
import { type OtlpReceiver, otlpReceiver, valuesOf } from '../../fixtures/otlp-receiver.ts';
import { freshFolder, whenOver } from '../../fixtures/when-over.ts';

/** Goal: a collector gets one span per slice and one per commit, and a run never waits for it. */

const chain = simulatedChain({ seed: 'traces', head: 300 });
let folder = '';
let file = '';

beforeAll(async () => {
  const root = await freshFolder();
  const served = await serve(chainSource(chain));
  folder = root;
  file = join(folder, 'e2e.yaml');
  const keys = `list: ${JSON.stringify(chain.addresses(3))}`;
  await writeFile(
    file,
    PIPELINE.replace(/list: \[.*\]/, keys).replace('http://127.0.0.1:1', served.url),
  );
});

async function receiver(statusOf?: () => number): Promise<OtlpReceiver> {
  const opened = await otlpReceiver(statusOf);
  whenOver(opened.close);
  return opened;
}

function run(data: string, env: Record<string, string>, ...more: string[]) {
  return windrowProcess(['run', file, '--data', join(folder, data), '--json', ...more], { env });
}

test('each slice and each commit is a span of the trace of its run', async () => {
  const collector = await receiver();
  const ended = await run('traced', {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment=test',
  });
  expect(ended.code, ended.stderr).toBe(0);
  const report = JSON.parse(ended.stdout);
  const spans = collector.spans();
  const named = (name: string) => spans.filter((span) => span.name === name);
  const [root, ...others] = named('run');
  expect(others).toEqual([]);
  if (root === undefined) throw new Error('the run has a span');
  expect(valuesOf(root.attributes)).toEqual({
    'windrow.pipeline': 'e2e',
    'windrow.run': report.run,
  });
  expect(named('slice')).toHaveLength(report.planned.slices);
  expect(named('commit')).toHaveLength(report.actual.commits);
  expect(spans).toHaveLength(1 + report.planned.slices + report.actual.commits);
  for (const span of spans.filter((other) => other !== root)) {
    expect(span.traceId).toBe(root.traceId);
    expect(span.parentSpanId).toBe(root.spanId);
    expect(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano)).toBe(true);
  }
  const rows = named('commit').reduce(
    (sum, { attributes }) => sum + Number(valuesOf(attributes)['windrow.rows']),
    0,
  );
  expect(rows).toBe(report.actual.rows);
  expect(named('slice').map(({ attributes }) => valuesOf(attributes))).toContainEqual({
    'windrow.dataset': 'transactions',
    'windrow.endpoint': 'mainchain/address/normal-transaction-list-multi',
    'windrow.variant': '',
    'windrow.keys': 3,
    'windrow.from_block': 0,
    'windrow.to_block': 299,
    'windrow.status': 'complete',
    'windrow.rows': expect.any(Number),
  });
  expect(collector.resource()).toMatchObject({
    'service.name': 'windrow',
    'deployment.environment': 'test',
  });
  expect(collector.requests.every(({ path }) => path === '/v1/traces')).toBe(true);
});

test('spans are sent as protobuf by default, to the address for traces if there is one', async () => {
  const collector = await receiver();
  const ended = await run('protobuf', {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `${collector.url}/own/path`,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer token',
  });
  expect(ended.code, ended.stderr).toBe(0);
  const [request] = collector.requests;
  expect(request).toMatchObject({ path: '/own/path', type: 'application/x-protobuf' });
  expect(request?.headers).toContain('Bearer token');
  for (const name of ['slice', 'commit', 'windrow.dataset']) {
    expect(String(request?.body)).toContain(name);
  }
});

test('a failed run and its failed slices are spans with an error', async () => {
  const collector = await receiver();
  const env = {
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
  };
  const ended = await run('down', env, '--source-url', 'http://127.0.0.1:9');
  expect(ended.code).toBe(1);
  const [root] = collector.spans();
  expect(root).toMatchObject({ name: 'run', status: { code: 2 } });
});

test('a collector that is away or refuses costs a warning, and the run ends', async () => {
  const refusing = await receiver(() => 503);
  for (const url of ['http://127.0.0.1:9', refusing.url]) {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: url, OTEL_EXPORTER_OTLP_TIMEOUT: '1000' };
    const ended = await run('traced', env);
    expect(ended.code, ended.stderr).toBe(0);
    expect(ended.stderr).toContain('Traces were not delivered');
  }
});

test('nothing is sent where the standard variables turn traces off', async () => {
  const collector = await receiver();
  for (const off of [{ OTEL_SDK_DISABLED: 'true' }, { OTEL_TRACES_EXPORTER: 'none' }]) {
    const ended = await run('traced', { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...off });
    expect(ended.code, ended.stderr).toBe(0);
  }
  expect(collector.requests).toEqual([]);
});
