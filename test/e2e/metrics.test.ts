import { readdir, readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import parse from 'parse-prometheus-text-format';
import { request } from 'undici';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { windrow } from './command-line.ts';
import { PIPELINE, type Served, serve } from './harness.ts';

/** Goal: the metrics of runs equal their reports, in the file and on the port. */

const chain = simulatedChain({ seed: 'metrics', head: 300 });
let folder = '';
let file = '';
let data: readonly string[] = [];
let served: Served;

beforeAll(async () => {
  const root = await freshFolder();
  served = await serve(chainSource(chain));
  folder = root;
  file = join(folder, 'e2e.yaml');
  data = ['--data', join(folder, 'data')];
  const keys = `list: ${JSON.stringify(chain.addresses(3))}`;
  const text = PIPELINE.replace(/list: \[.*\]/, keys).replace('http://127.0.0.1:1', served.url);
  await writeFile(file, `${text}metrics: { file: prom/e2e.prom }\n`);
});

function valuesIn(text: string): Map<string, number> {
  const values = new Map<string, number>();
  for (const { name, metrics } of parse(text)) {
    for (const { labels = {}, value } of metrics) {
      const { pipeline, ...rest } = labels;
      expect(pipeline).toBe('e2e');
      values.set([name, ...Object.values(rest)].join(' '), Number(value));
    }
  }
  return values;
}

test('the file has the figures of the last run, the lake and the last success', async () => {
  const ran = await windrow(['run', file, ...data, '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  const report = JSON.parse(ran.stdout);
  const path = join(folder, 'prom', 'e2e.prom');
  const values = valuesIn(await readFile(path, 'utf8'));
  expect(values.get('windrow_last_run_exit_code')).toBe(0);
  expect(values.get('windrow_run_under_way')).toBe(0);
  expect(values.get('windrow_last_success_timestamp_seconds')).toBe(
    Date.parse(report.endedAt) / 1000,
  );
  expect(values.get('windrow_run_requests answered')).toBe(report.actual.replies);
  expect(values.get('windrow_run_requests failed')).toBe(0);
  expect(values.get('windrow_run_rows')).toBe(report.actual.rows);
  expect(values.get('windrow_head_block primary')).toBe(300);
  expect(values.get('windrow_lag_blocks primary')).toBe(
    300 + 1 - report.planned.heads.primary.safe,
  );
  const status = JSON.parse((await windrow(['status', ...data, '--json'])).stdout);
  for (const { chain: name, dataset, rows, files, bytes, coverage } of status.tables) {
    expect(values.get(`windrow_table_rows ${name} ${dataset}`)).toBe(rows);
    expect(values.get(`windrow_table_files ${name} ${dataset}`)).toBe(files);
    expect(values.get(`windrow_table_bytes ${name} ${dataset}`)).toBe(bytes);
    const complete = (coverage as { status: string; keyBlocks: number }[])
      .filter((list) => list.status === 'complete')
      .reduce((sum, { keyBlocks }) => sum + keyBlocks, 0);
    expect(values.get(`windrow_coverage_key_blocks ${name} ${dataset} complete`)).toBe(complete);
  }
  const down = ['--source-url', 'http://127.0.0.1:9'];
  expect((await windrow(['run', file, ...data, ...down])).code).toBe(1);
  const after = valuesIn(await readFile(path, 'utf8'));
  expect(after.get('windrow_last_run_exit_code')).toBe(1);
  for (const same of ['windrow_last_success_timestamp_seconds', 'windrow_head_block primary']) {
    expect(after.get(same)).toBe(values.get(same));
  }
  // Readers never see a part of a file: it is replaced, and nothing stays beside it.
  expect(await readdir(join(folder, 'prom'))).toEqual(['e2e.prom']);
});

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}

test('the port answers during a run, with its figures so far', async () => {
  const port = await freePort();
  const scraped: Map<string, number>[] = [];
  const scraping = await serve(chainSource(chain));
  const { targets } = scraping;
  const push = targets.push.bind(targets);
  // Every request of the run is followed by a scrape.
  targets.push = (...more) => {
    void request(`http://127.0.0.1:${port}/metrics`).then(async ({ body }) => {
      scraped.push(valuesIn(await body.text()));
    });
    return push(...more);
  };
  const fresh = ['--data', join(folder, 'fresh'), '--source-url', scraping.url];
  const ran = await windrow(['run', file, ...fresh, '--metrics-port', String(port), '--json']);
  expect(ran.code, ran.stderr).toBe(0);
  expect(scraped.length).toBeGreaterThan(3);
  const answered = scraped.map((values) => values.get('windrow_run_requests answered') ?? -1);
  expect(Math.max(...answered)).toBeGreaterThan(0);
  for (const values of scraped) {
    expect(values.get('windrow_run_under_way')).toBe(1);
    expect(values.has('windrow_last_run_exit_code')).toBe(false);
  }
  await expect(request(`http://127.0.0.1:${port}/metrics`)).rejects.toThrow();
});

test('metrics that cannot be written are a warning, and not a failure', async () => {
  const prom = ['--metrics-file', join(file, 'below-a-file.prom')];
  const ran = await windrow(['run', file, ...data, ...prom, '--quiet']);
  expect(ran.code).toBe(0);
  expect(ran.stderr).toMatch(/^The metrics were not written: /);
});
