import { execFile } from 'node:child_process';
import { access } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { createExplorer } from '../../service/src/explorer/explorer.ts';
import { layout } from '../../src/land/storage/layout.ts';
import { query } from '../../src/load/query/query.ts';
import { systemEffects } from '../../src/system.ts';
import { makeUpLake } from './made-up-lake.ts';

/**
 * The time of every kind of page about a lake: the first answer of a new process, and the second
 * one. Prints a Markdown table with the first as a share of the limit; the exit code is 1 if one
 * is over the limit. A data root without a lake gets the made-up one of this scale.
 *
 *     npm run build && npx tsc -p tsconfig.json --noEmit false --outDir node_modules/.bench &&
 *       cp -r sql package.json node_modules/.bench/ &&
 *       node node_modules/.bench/test/bench/pages.js DIR [scale, 1]
 *
 * It starts in the folder of the repository.
 */

const LIMIT_MS = 1000;
const ROUNDS = 3;
const NO_HIT = '/explore/search?q=nothing';
const MEMORY_BYTES = 2 ** 30;
const [root = 'data', scale = '1', target] = process.argv.slice(2);
const { warehouse } = layout(root);
const run = promisify(execFile);

/** Milliseconds of the first and the second answer in this process. */
async function timesOf(page: string): Promise<readonly number[]> {
  const effects = systemEffects('warn');
  const explorer = createExplorer({ warehouse, effects, memoryBytes: MEMORY_BYTES });
  const [path = '', search = ''] = page.split('?');
  const times: number[] = [];
  for (let nth = 0; nth < 2; nth += 1) {
    const startMs = performance.now();
    const { status } = await explorer.answer(path, search);
    times.push(performance.now() - startMs);
    // A search with one hit leads on to its page, and one without a hit answers 404.
    const expected = page === NO_HIT ? [404] : [200, 303];
    if (!expected.includes(status)) throw new Error(`${page} answers with status ${status}`);
  }
  await explorer.close();
  return times;
}

async function one(sql: string): Promise<string> {
  const { rows } = await query(warehouse, sql, { root });
  const value = Object.values(rows[0] ?? {})[0];
  if (value === undefined) throw new Error(`Nothing was found by ${sql}`);
  return String(value);
}

/** Addresses of pages by their names. */
async function pages(): Promise<Readonly<Record<string, string>>> {
  const busiest = (table: string, column: string): Promise<string> =>
    one(`SELECT ${column} FROM curated.${table} WHERE ${column} IS NOT NULL
      GROUP BY 1 ORDER BY count(*) DESC, 1 LIMIT 1`);
  const address = await busiest('address_activity', 'address');
  const ofAddress = `FROM curated.address_activity WHERE address = '${address}'`;
  const low = Number(await one(`SELECT min(block_number) ${ofAddress}`));
  const high = Number(await one(`SELECT max(block_number) ${ofAddress}`));
  const at = (share: number): number => Math.round(low + (high - low) * share);
  const token = await busiest('token_transfers', 'token_address');
  const hash = await one(`SELECT tx_hash ${ofAddress} AND block_number >= ${at(0.5)} LIMIT 1`);
  const block = await one(
    `SELECT block_hash FROM curated.blocks WHERE block_number >= ${at(0.5)} LIMIT 1`,
  );
  const zone = await one('SELECT max(block_number) FROM curated.zone_transactions');
  const journey = await one(
    'SELECT zone_tx_hash FROM curated.cross_chain_journeys WHERE zone_tx_hash IS NOT NULL LIMIT 1',
  );
  const url = `/explore/address/${address}`;
  return {
    'start page with the coverage': '/explore',
    'search by address': `/explore/search?q=${address}`,
    'search by transaction': `/explore/search?q=${hash}`,
    'search by block hash': `/explore/search?q=${block}`,
    'search by height': `/explore/search?q=${at(0.5)}`,
    'search without a hit': NO_HIT,
    'busiest address': url,
    'its legs on the zone chain': `${url}?chain=zone`,
    ...Object.fromEntries(
      ['value', 'fee', 'internal', 'token'].map((leg) => [`its ${leg} legs`, `${url}?kind=${leg}`]),
    ),
    'its legs that come in': `${url}?direction=in`,
    'its legs of one token': `${url}?token=${token}`,
    'its legs of the native token': `${url}?token=native`,
    'its older legs': `${url}?at=${at(0.5)}`,
    'its oldest legs': `${url}?at=${at(0.001)}`,
    'its legs between heights': `${url}?from=${at(0.3)}&to=${at(0.6)}`,
    transaction: `/explore/tx/${hash}`,
    block: `/explore/block/primary/${at(0.5)}`,
    'block of the zone chain': `/explore/block/zone/${zone}`,
    token: `/explore/token/${token}`,
    journey: `/explore/journey/${journey}`,
  };
}

/** The median of a few new processes. */
async function measured(page: string): Promise<readonly number[]> {
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const { stdout } = await run(process.execPath, [
      fileURLToPath(import.meta.url),
      root,
      scale,
      page,
    ]);
    rounds.push(JSON.parse(stdout) as number[]);
  }
  const middle = (nth: number): number =>
    rounds.map((times) => times[nth] ?? 0).sort((a, b) => a - b)[ROUNDS >> 1] ?? 0;
  return [middle(0), middle(1)];
}

async function main(): Promise<void> {
  const isMade = await access(join(root, 'lake')).then(
    () => true,
    () => false,
  );
  if (!isMade) {
    await makeUpLake(root, Number(scale));
    await run(process.execPath, [resolve('dist/cli/main.js'), 'load', '--data', root]);
  }
  const print = (cells: readonly string[]): void => {
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
  };
  print(['page', 'first ms', 'second ms', 'first of limit']);
  print(['---', '---', '---', '---']);
  for (const [name, page] of Object.entries(await pages())) {
    const [first = 0, second = 0] = await measured(page);
    const mark = first > LIMIT_MS ? ' !' : '';
    if (first > LIMIT_MS) process.exitCode = 1;
    print([name, first.toFixed(0), second.toFixed(0), `${(first / LIMIT_MS).toFixed(2)}${mark}`]);
  }
}

if (target === undefined) await main();
else process.stdout.write(JSON.stringify(await timesOf(target)));
