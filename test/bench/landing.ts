import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { createService } from '../../service/src/server/service.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import type { HttpResponse } from '../../src/fetch/transport/transport.ts';
import { withScratch } from '../../src/land/storage/scratch.ts';
import { literal } from '../../src/land/storage/sql-text.ts';
import { limitArenas, systemEffects } from '../../src/system.ts';
import { BY_GROUP, type Copies, copyOf, ofFirst, shifted, TRANSFERS } from './landing/copies.ts';
import { cpuOf } from './landing/cpu.ts';
import { answering, connected, land } from './landing/land.ts';
import { PageFile } from './landing/page-file.ts';
import type { Landed, Work } from './landing-process.ts';

/**
 * The CPU time of landing: pages recorded from the simulated service, walked, proven, decoded and
 * committed to raw Parquet in a process of its own, beside the bare `read_json` and `COPY` of DuckDB
 * on the same bytes, in turn. Prints medians as a Markdown table.
 *
 *     rm -rf node_modules/.bench; npx tsc -p tsconfig.json --noEmit false \
 *       --outDir node_modules/.bench && cp -r sql package.json node_modules/.bench/ &&
 *       node node_modules/.bench/test/bench/landing.js [blocks] [addresses] [rounds] [copies]
 */

const [blocks = 10_000, addressCount = 100, rounds = 3, copies = 4] = process.argv
  .slice(2)
  .map(Number);

const effects = systemEffects('warn');
const chain = simulatedChain({ seed: 'landing', head: blocks - 1 });
const addresses = [...chain.addresses(addressCount)].sort();
const scratch = await mkdtemp(join(tmpdir(), 'windrow-landing-'));

/** Lands everything once, and gives the answers of the service to its requests. */
async function record(all: Copies, keep: (target: string, body: string) => void) {
  const service = createService({ source: chainSource(chain), effects, settings: {} });
  const answers = new Map<string, HttpResponse>();
  const source = answering(async (target) => {
    const first = ofFirst(target);
    const request = { method: 'GET', target: first, headers: { host: 'x' }, body: '' };
    const answer = answers.get(first) ?? (await service.answer(request));
    answers.set(first, answer);
    const body = shifted(answer.body, copyOf(target));
    keep(target, body);
    return { ...answer, body };
  });
  await land({ copies: all, connection: connected(source), scratch });
}

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? Number.NaN;
const print = (cells: readonly (string | number)[]): void => {
  process.stdout.write(`| ${cells.join(' | ')} |\n`);
};

/** The bare copy of the records in the pages, with the types that DuckDB detects. */
async function bareCopy(file: string): Promise<number> {
  return withScratch(async (connection) => {
    const result = await connection.runAndReadAll(
      `COPY (SELECT unnest(page.transactionList, recursive := true)
             FROM (SELECT unnest(data) AS page
                   FROM read_json(${literal(file)}, format = 'newline_delimited')))
       TO ${literal(join(scratch, 'bare.parquet'))} (FORMAT parquet, COMPRESSION zstd)`,
    );
    return Number(result.getRows()[0]?.[0]);
  });
}

/** A process that lands the pages, once for every message. */
async function lander(all: Copies, pages: PageFile): Promise<ChildProcess> {
  const work = { copies: all, pages: pages.path, places: pages.places(), scratch };
  const file = join(scratch, 'work.json');
  await writeFile(file, JSON.stringify(work satisfies Work));
  // As the command line does; the process inherits the setting.
  limitArenas();
  return fork(fileURLToPath(new URL('landing-process.js', import.meta.url)), [file]);
}

async function landedBy(landing: ChildProcess): Promise<Landed> {
  const ended = new AbortController();
  landing.once('exit', () => ended.abort(new Error('the process that lands has ended')));
  const [landed] = await once(landing, 'message', { signal: ended.signal });
  return landed as Landed;
}

async function compareLanding(path: string): Promise<void> {
  const all = { path, addresses, blocks, copies };
  const pages = PageFile.create(join(scratch, 'pages.ndjson'));
  await record(all, (target, body) => pages.add(target, body));
  const landing = await lander(all, pages);
  const speeds: { readonly ours: number; readonly bare: number }[] = [];
  let last: Landed = { rows: 0, cpuSeconds: 0, peakMb: 0 };
  for (let round = 0; round < rounds; round += 1) {
    landing.send('land');
    last = await landedBy(landing);
    const bare = await cpuOf(() => bareCopy(pages.path));
    speeds.push({ ours: last.rows / last.cpuSeconds, bare: bare.result / bare.seconds });
  }
  landing.kill();
  const ours = median(speeds.map((speed) => speed.ours));
  const bare = median(speeds.map((speed) => speed.bare));
  print([
    path,
    last.rows,
    pages.places().length,
    (pages.bytes / 2 ** 20).toFixed(0),
    Math.round(ours),
    Math.round(bare),
    (ours / bare).toFixed(3),
    last.peakMb,
  ]);
  pages.close();
}

try {
  print(['list', 'rows', 'pages', 'MB', 'rows per CPU s', 'DuckDB', 'ratio', 'peak MB']);
  print(Array.from({ length: 8 }, () => '---'));
  for (const path of [BY_GROUP, TRANSFERS]) await compareLanding(path);
} finally {
  await rm(scratch, { recursive: true, force: true });
}
