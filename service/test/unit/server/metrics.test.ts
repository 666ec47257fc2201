import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import { Fault } from '../../../../src/fault.ts';
import { systemEffects } from '../../../../src/system.ts';
import { quietEffects } from '../../../../test/fixtures/quiet-effects.ts';
import { virtualClock } from '../../../../test/fixtures/virtual-clock.ts';
import { freshFolder } from '../../../../test/fixtures/when-over.ts';
import { chainSource } from '../../../src/memory/chain-source.ts';
import type { Source } from '../../../src/protocol/source.ts';
import { listen } from '../../../src/server/listener.ts';
import { createMetrics } from '../../../src/server/metrics.ts';
import type { AnswerLine } from '../../../src/server/request-log.ts';
import { createService } from '../../../src/server/service.ts';
import { simulatedChain } from '../../../src/simulated/chain.ts';
import { publicNodes } from '../../../src/stream/nodes.ts';
import { answerLog } from '../../../src/verb/answer-log.ts';

const LIST = '/api/v5/mainchain/block/block-list';
const FINE = `${LIST}?chainShortName=MAINCHAIN&limit=1`;

function source(): Source {
  return chainSource(simulatedChain({ seed: 'metrics', head: 20 }));
}

/** A service that tells of its answers, and how it is asked. */
function serving(options: Source = source()) {
  const lines: AnswerLine[] = [];
  const service = createService({
    source: options,
    effects: quietEffects(),
    answered: (line) => lines.push(line),
    memory: () => ({ rss: 12_345, heapUsed: 678 }),
    readReference: async (name) => name,
  });
  const get = (target: string, method = 'GET') =>
    service.answer({ method, target, headers: { 'svc-access-key': 'canary' }, body: '' });
  return { service, lines, get };
}

/** The value of a sample, or undefined. */
function sample(text: string, name: string): number | undefined {
  const line = text.split('\n').find((entry) => entry.startsWith(`${name} `));
  return line === undefined ? undefined : Number(line.slice(name.length));
}

describe('/metrics', () => {
  it('counts requests by endpoint, status and code', async () => {
    const { get } = serving();
    await get(FINE);
    await get(FINE);
    await get(LIST);
    await get(LIST, 'POST');
    await get('/nowhere/canary');
    const { status, headers, body } = await get('/metrics');
    expect(status).toBe(200);
    expect(headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
    const count = (labels: string) => sample(body, `windrow_requests_total{${labels}}`);
    const list = 'endpoint="mainchain/block/block-list"';
    expect(count(`${list},status="200",code="0"`)).toBe(2);
    expect(count(`${list},status="400",code="50014"`)).toBe(1);
    expect(count(`${list},status="405",code="50041"`)).toBe(1);
    expect(count('endpoint="none",status="404",code="50042"')).toBe(1);
    expect(body).not.toContain('canary');
    expect(sample(body, 'windrow_requests_in_flight')).toBe(1);
    expect(sample(body, 'process_resident_memory_bytes')).toBe(12_345);
    expect(sample(body, 'windrow_heap_used_bytes')).toBe(678);
  });

  it('has no more series for more paths, methods and queries', async () => {
    const { get } = serving();
    const series = async () => (await get('/metrics')).body.split('\n').length;
    await get('/nowhere/1');
    await get('/metrics');
    const before = await series();
    for (let nth = 0; nth < 50; nth += 1) await get(`/nowhere/${nth}?${nth}`, `M${nth}`);
    expect(await series()).toBe(before);
  });

  it('counts durations into cumulative buckets', async () => {
    const metrics = createMetrics();
    for (const durationMs of [0, 1, 2, 30, 400, 60_000]) {
      metrics.started();
      metrics.finished({ endpoint: 'a', status: 200, code: '0', durationMs });
    }
    const name = 'windrow_request_duration_seconds';
    const text = await metrics.text();
    const bucket = (le: string) => sample(text, `${name}_bucket{le="${le}",endpoint="a"}`);
    expect([bucket('0.001'), bucket('0.0025'), bucket('0.05'), bucket('0.5')]).toEqual([
      2, 3, 4, 5,
    ]);
    expect([bucket('10'), bucket('+Inf')]).toEqual([5, 6]);
    expect(sample(text, `${name}_count{endpoint="a"}`)).toBe(6);
    expect(sample(text, `${name}_sum{endpoint="a"}`)).toBeCloseTo(60.433);
    expect(sample(text, 'windrow_requests_in_flight')).toBe(0);
  });

  it('counts requests in progress', async () => {
    const held = source();
    let release: () => void = () => {};
    const waits = new Promise<void>((resolve) => {
      release = resolve;
    });
    const find = held.find.bind(held);
    held.find = async (query) => {
      await waits;
      return find(query);
    };
    const { get } = serving(held);
    const question = [get(FINE), get(FINE)];
    expect(sample((await get('/metrics')).body, 'windrow_requests_in_flight')).toBe(3);
    release();
    await Promise.all(question);
    expect(sample((await get('/metrics')).body, 'windrow_requests_in_flight')).toBe(1);
  });
});

describe('public nodes', () => {
  const answer = { status: 200, headers: {}, body: '{"jsonrpc":"2.0","id":1,"result":"0x1"}' };
  const nodes = {
    rpcs: new Map([['/rpc', { answer: () => Promise.resolve(answer) }]]),
    streams: new Map([['/stream', { clients: 3 }]]),
  };
  const withNodes = () => {
    const lines: AnswerLine[] = [];
    const effects = quietEffects();
    const answered = (line: AnswerLine) => lines.push(line);
    const service = createService({ source: source(), effects, answered, nodes });
    const post = (target: string) =>
      service.answer({ method: 'POST', target, headers: {}, body: '{}' });
    const metrics = async () =>
      (await service.answer({ method: 'GET', target: '/metrics', headers: {}, body: '' })).body;
    return { service, lines, post, metrics };
  };

  it('are counted, timed and logged by the path they are reached at', async () => {
    const { post, metrics, lines, service } = withNodes();
    await post('/rpc');
    await post('/rpc?canary=1');
    service.streamed?.({ method: 'GET', target: '/stream?canary=1' });
    service.refuse('wrong-handshake', 'no handshake', { method: 'GET', target: '/stream' });
    const body = await metrics();
    const count = (labels: string) => sample(body, `windrow_requests_total{${labels}}`);
    expect(count('endpoint="/rpc",status="200",code=""')).toBe(2);
    expect(count('endpoint="/stream",status="101",code=""')).toBe(1);
    expect(count('endpoint="none",status="400",code="50050"')).toBe(1);
    const timed = 'windrow_request_duration_seconds_count{endpoint="/rpc"}';
    expect(sample(body, timed)).toBe(2);
    expect(sample(body, 'windrow_stream_clients{endpoint="/stream"}')).toBe(3);
    expect(body).not.toContain('canary');
    expect(lines.map(({ path, status, bytes }) => [path, status, bytes])).toEqual([
      ['/rpc', 200, answer.body.length],
      ['/rpc', 200, answer.body.length],
      ['/stream', 101, 0],
      ['/stream', 400, expect.any(Number)],
      ['/metrics', 200, body.length],
    ]);
    expect(service.requests.map(({ target }) => target)).toContain('/rpc?canary=1');
  });

  it('include connections that a stream takes over', async () => {
    const { service, metrics } = withNodes();
    const chain = simulatedChain({ seed: 'metrics', head: 20 });
    const effects = systemEffects('warn');
    const { streams } = publicNodes(chain, chainSource(chain), { effects, blocksPerSecond: 0.01 });
    const listener = await listen(service, { effects: virtualClock(), streams });
    const port = Number(new URL(listener.url).port);
    const socket = new WebSocket(`ws://127.0.0.1:${port}/stream`);
    await once(socket, 'open');
    socket.terminate();
    // An upgrade to no WebSocket of ours.
    const upgrade = 'Connection: upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n';
    await sent(port, `GET /stream HTTP/1.1\r\nHost: localhost\r\n${upgrade}\r\n`);
    const body = await metrics();
    for (const labels of [
      'endpoint="/stream",status="101",code=""',
      'endpoint="none",status="400",code="50050"',
    ]) {
      expect(sample(body, `windrow_requests_total{${labels}}`), labels).toBe(1);
    }
    await listener.close();
  });
});

describe('/healthz', () => {
  it('tells the heights while the source can be read, and 503 when it cannot', async () => {
    const fine = source();
    const { get } = serving(fine);
    const answer = await get('/healthz');
    expect(answer.status).toBe(200);
    expect(JSON.parse(answer.body)).toEqual({
      status: 'ok',
      primaryHeight: '20',
      zoneHeight: '-1',
    });
    fine.head = () => {
      throw new Error('canary: the disk is gone');
    };
    const lost = await get('/healthz');
    expect(lost).toMatchObject({ status: 503 });
    expect(lost.body).toContain('"50001"');
    expect(lost.body).not.toContain('canary');
  });
});

describe('pages of the service', () => {
  it('need no signature, take GET and HEAD alone and do not move the chain', async () => {
    let question = 0;
    const counted = {
      ...source(),
      requested: () => {
        question += 1;
      },
    };
    const { get } = serving(counted);
    for (const path of ['/healthz', '/metrics', '/openapi.json', '/docs']) {
      expect((await get(`${path}?any=thing`)).status, path).toBe(200);
      const refused = await get(path, 'POST');
      expect(refused, path).toMatchObject({ status: 405, headers: { allow: 'GET, HEAD' } });
    }
    expect(question).toBe(0);
    await get(FINE);
    expect(question).toBe(1);
  });
});

describe('HEAD of a page', () => {
  it.each(['/healthz', '/openapi.json', '/docs', '/metrics'])(
    '%s has the status, the headers and the length of GET, and no body',
    async (path) => {
      const { get, lines } = serving();
      const whole = await get(path);
      const head = await get(path, 'HEAD');
      expect(head).toMatchObject({ status: 200, headers: whole.headers, body: '' });
      // The metrics have grown by the request before.
      const least = Buffer.byteLength(whole.body);
      expect(Number(head.headers['content-length'])).toBeGreaterThanOrEqual(least);
      expect(lines.map(({ method, status, bytes }) => [method, status, bytes])).toEqual([
        ['GET', 200, least],
        ['HEAD', 200, 0],
      ]);
    },
  );

  it('is not well where GET is not', async () => {
    const head = () => {
      throw new Error('gone');
    };
    expect(await serving({ ...source(), head }).get('/healthz', 'HEAD')).toMatchObject({
      status: 503,
      body: '',
    });
  });
});

describe('the log of requests', () => {
  it('has one line an answer, with neither its query nor its headers', async () => {
    const { get, lines } = serving();
    const { body } = await get(FINE);
    await get(`${LIST}?chainShortName=canary`);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toEqual({
      time: expect.stringMatching(/^2023-11-14T22:13:20\.[0-9]{3}Z$/) as string,
      method: 'GET',
      path: LIST,
      status: 200,
      code: '0',
      durationMs: expect.any(Number) as number,
      bytes: Buffer.byteLength(body),
    });
    expect(lines[1]).toMatchObject({ status: 400, code: '50036' });
    expect(JSON.stringify(lines)).not.toContain('canary');
  });

  it('has a line for bytes that never became a request', async () => {
    const { service, lines, get } = serving();
    const listener = await listen(service, { effects: virtualClock() });
    const port = Number(new URL(listener.url).port);
    await sent(port, 'hello\r\n\r\n');
    await sent(port, `GET ${FINE} HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n`);
    await sent(port, `GET ${FINE} HTTP/1.1\r\nConnection: close\r\n\r\n`);
    await listener.close();
    expect(lines.map(({ status, code, path }) => [status, code, path])).toEqual([
      [400, '50000', ''],
      [421, '50039', LIST],
      [400, '50000', LIST],
    ]);
    const { body } = await get('/metrics');
    const rejected = 'windrow_requests_total{endpoint="none",status="400",code="50000"}';
    expect(sample(body, rejected)).toBe(2);
  });
});

function sent(port: number, bytes: string): Promise<void> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    socket.on('close', () => resolve());
    socket.resume();
  });
}

describe('a file of requests', () => {
  const folder = async (): Promise<string> => {
    const made = await freshFolder();
    return made;
  };
  const line: AnswerLine = {
    time: '2024-01-01T00:00:00.000Z',
    method: 'GET',
    path: '/',
    status: 404,
    code: '50042',
    durationMs: 1,
    bytes: 2,
  };

  it('goes on where it ended', async () => {
    const file = join(await folder(), 'requests.ndjson');
    for (const path of ['/a', '/b']) {
      const log = await answerLog(file, quietEffects());
      log.add({ ...line, path });
      await log.close();
    }
    const lines = (await readFile(file, 'utf8')).trimEnd().split('\n');
    expect(lines.map((entry) => JSON.parse(entry) as unknown)).toEqual([
      { ...line, path: '/a' },
      { ...line, path: '/b' },
    ]);
  });

  it('that cannot be written is a fault with advice', async () => {
    const file = join(await folder(), 'missing', 'requests.ndjson');
    const fault = await answerLog(file, quietEffects()).catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Fault);
    expect(fault).toMatchObject({ kind: 'configuration', where: file });
  });

  it('leaves out lines while too much waits to be written, and says how many', async () => {
    const file = join(await folder(), 'requests.ndjson');
    const log = await answerLog(file, quietEffects());
    const long = { ...line, path: `/${'x'.repeat(10_000)}` };
    for (let nth = 0; nth < 1000; nth += 1) log.add(long);
    await log.close();
    const text = await readFile(file, 'utf8');
    expect(text.length).toBeLessThan(3_000_000);
    expect(text.split('\n').length).toBeGreaterThan(50);
  });
});
