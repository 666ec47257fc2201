import { request } from 'undici';
import { afterEach, describe, expect, it } from 'vitest';
import { Fault } from '../../../../src/fault.ts';
import { metricsAddress } from '../../../../src/pipeline/metrics-settings.ts';
import { type MetricsPort, openMetricsPort } from '../../../../src/run/metrics/metrics-port.ts';

const opened: MetricsPort[] = [];
afterEach(async () => {
  for (const port of opened.splice(0)) await port.close();
});

async function open(text = async () => 'windrow_up 1\n', host = '127.0.0.1') {
  const port = await openMetricsPort({ host, port: 0 }, text);
  opened.push(port);
  return port;
}

async function get(url: string, host?: string) {
  const { statusCode, headers, body } = await request(
    url,
    host === undefined ? {} : { headers: { host } },
  );
  return { status: statusCode, type: headers['content-type'], text: await body.text() };
}

describe('the port of metrics', () => {
  it('answers /metrics in the text format, and nothing else', async () => {
    const { url } = await open();
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/metrics$/);
    expect(await get(url)).toEqual({
      status: 200,
      type: 'text/plain; version=0.0.4; charset=utf-8',
      text: 'windrow_up 1\n',
    });
    expect((await get(url.replace('/metrics', '/'))).status).toBe(404);
  });

  it('refuses the names of other machines on the loopback', async () => {
    const { url } = await open();
    expect((await get(url, 'rebound.example')).status).toBe(403);
    expect((await get(url, 'localhost:9464')).status).toBe(200);
    const everywhere = await open(undefined, '0.0.0.0');
    const reachable = everywhere.url.replace('0.0.0.0', '127.0.0.1');
    expect((await get(reachable, 'windrow:9464')).status).toBe(200);
  });

  it('shows no error of its own', async () => {
    const { url } = await open(() => Promise.reject(new Error('secret')));
    expect(await get(url)).toMatchObject({ status: 500, text: 'The metrics cannot be read.\n' });
  });

  it('is refused where another program has it', async () => {
    const { url } = await open();
    const port = Number(new URL(url).port);
    const second = openMetricsPort({ host: '127.0.0.1', port }, async () => '');
    await expect(second).rejects.toThrow(Fault);
    await expect(second).rejects.toMatchObject({ kind: 'port-taken' });
  });
});

describe('an address for metrics', () => {
  it('is a port of this machine, or a host and a port', () => {
    expect(metricsAddress('9464')).toEqual({ host: '127.0.0.1', port: 9464 });
    expect(metricsAddress('0.0.0.0:9464')).toEqual({ host: '0.0.0.0', port: 9464 });
    expect(metricsAddress('[::1]:9464')).toEqual({ host: '::1', port: 9464 });
    for (const wrong of ['', 'x', '0', '70000', ':9464', '1.2.3.4', 'a:b:1']) {
      expect(metricsAddress(wrong), wrong).toBeUndefined();
    }
  });
});
