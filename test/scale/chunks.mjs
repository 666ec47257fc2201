import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Redis } from 'ioredis';
import { engineFiles } from '../interop/engines.mjs';
import { pythonOf } from '../interop/readers.mjs';
import {
  finish,
  folder,
  freePort,
  IS_SHORT,
  KEYS,
  longTest,
  need,
  printedBy,
  programOf,
  ROOT,
  reportTo,
  seaweed,
  started,
  test,
  until,
  windrow,
} from './harness.mjs';

/**
 * Goal: `load --full --queue` and the end of a queued run compute the curated tables in workers over
 * a real Redis, with the rows of one process, on a local data root and in a store; and no worker
 * that dies, has another version or another data root changes a row.
 */

const BUCKET = 'lake';
const MAIN = join(ROOT, 'dist/cli/main.js');

export const scenarios = {
  'chunks of a local data root': (check) => testsOn(check, (work) => join(work, 'data')),
  ...(IS_SHORT
    ? {}
    : { 'chunks of a store': (check) => testsOn(check, () => `s3://${BUCKET}/lake`, true) }),
};

async function testsOn(check, rootIn, isStore = false) {
  reportTo(check);
  try {
    const work = await folder();
    await makeUpLake(join(work, 'data'));
    const settings = isStore ? await storeOf(join(work, 'data')) : {};
    const redis = await redisIn(work);
    await chunkTests({ work, redis, settings, root: rootIn(work), isStore });
    redis.client.disconnect();
  } finally {
    await finish();
  }
}

async function chunkTests({ work, redis, settings, root, isStore }) {
  const data = ['--data', root];
  /** Each host has a cache of its own. */
  const envOf = (host) => ({
    ...settings,
    WINDROW_CACHE_DIR: join(work, `cache-${host}`),
    WINDROW_STATE_DIR: join(work, `state-${host}`),
  });
  const env = envOf('load');
  const worker = (host, more = data) => {
    const args = [MAIN, 'worker', '--queue', redis.url, ...more];
    const child = started(process.execPath, args, { env: { ...process.env, ...envOf(host) } });
    child.said = '';
    for (const out of [child.stdout, child.stderr]) out.on('data', (text) => (child.said += text));
    return child;
  };
  const load = (more = [], how = {}) => {
    return windrow(['load', '--full', '--json', ...data, ...more], { env, ...how });
  };
  const queued = (how) => {
    const loading = load(['--queue', redis.url], how);
    // A test that fails first does not wait for it.
    loading.catch(() => undefined);
    return loading;
  };
  await load();
  const filesHere = async () =>
    (await readdir(join(work, 'data/curated'), { recursive: true })).filter((path) =>
      /\btransactions\/part-/.test(path),
    ).length;
  const filesOfOne = isStore ? 0 : await filesHere();
  const expected = await digestsOf(data, env);
  const same = async () => {
    const seen = await digestsOf(data, env);
    need(seen === expected, `${seen} and not ${expected}`);
  };

  await test('two workers have the rows of one process', async () => {
    const workers = [worker('a'), worker('b')];
    const { out, notes } = await queued();
    need(/windrow worker --queue/.test(notes), notes);
    await same();
    const files = isStore ? 0 : (await filesHere()) - filesOfOne;
    need(files === filesOfOne, `${files} files, and ${filesOfOne} of one process`);
    for (const child of workers) child.kill('SIGTERM');
    for (const child of workers) await until(async () => child.exitCode !== null, 'the end');
    const chunks = workers.map(({ said }) => Number(/(\d+) chunks?\b/.exec(said)?.[1] ?? 0));
    need(chunks.reduce((sum, count) => sum + count) >= 4, `chunks: ${chunks}`);
    await windrow(['verify', ...data], { env });
    return `${chunks.join(' and ')} chunks, ${JSON.parse(out).rows} raw rows`;
  });

  await test('a chunk of a killed worker is computed again', async () => {
    const killed = worker('a');
    const loading = queued();
    const active = () => redis.client.llen('{windrow}:chunks:active');
    await until(async () => (await active()) > 0, 'a chunk');
    killed.kill('SIGSTOP');
    killed.kill('SIGKILL');
    need((await active()) > 0, 'the worker had no chunk when it was killed');
    const killedMs = Date.now();
    const next = worker('b');
    await loading;
    await same();
    next.kill('SIGTERM');
    return `the load ended ${Date.now() - killedMs} ms after the kill`;
  });

  await test('a worker with another data root, or of another version, computes none', async () => {
    const other = worker('c', ['--data', join(work, 'other')]);
    await until(async () => other.exitCode !== null, 'the end');
    need(other.exitCode === 2 && /another data root/.test(other.said), other.said);
    const loading = queued({ exit: 2 });
    // As a load of another version would have queued it.
    const job = await until(async () => {
      const [key] = await redis.client.keys('{windrow}:chunks:load-*-0');
      return key;
    }, 'a chunk');
    const task = JSON.parse(await redis.client.hget(job, 'data'));
    await redis.client.hset(job, 'data', JSON.stringify({ ...task, version: '0.0.1' }));
    const child = worker('a');
    const { notes } = await loading;
    need(/has windrow .*, and the load was planned by 0\.0\.1/.test(notes), notes);
    child.kill('SIGTERM');
    await same();
  });

  await test('an interrupted load leaves no chunk behind', async () => {
    const waiting = () => redis.client.llen('{windrow}:chunks:wait');
    const args = [MAIN, 'load', '--full', ...data, '--queue', redis.url];
    const child = started(process.execPath, args, { env: { ...process.env, ...env } });
    await until(async () => (await waiting()) > 2, 'chunks');
    child.kill('SIGINT');
    await until(async () => child.exitCode !== null, 'the end');
    need(child.exitCode === 130, `exit code ${child.exitCode}`);
    need((await waiting()) === 0, 'chunks wait');
    await same();
  });

  const spark = join(ROOT, 'test/spark');
  await longTest('Spark executes the statements of connect, and 15 questions', async () => {
    const copy = join(work, 'data');
    if (isStore) await windrow(['load', '--full', '--data', copy]);
    const { files, count } = await engineFiles(copy, ['spark', 'duckdb']);
    const script = await windrow(['connect', '--as', 'spark', '--json', ...data], { env });
    const scripts = JSON.parse(await readFile(files[0], 'utf8'));
    const { statements: here } = JSON.parse(script.out);
    await writeFile(files[0], JSON.stringify({ ...scripts, spark: here }));
    const program = join(ROOT, 'test/scale/spark_script.py');
    const path = { ...settings, PYTHONPATH: spark };
    const out = await printedBy(pythonOf(spark), [program, ...files], path);
    const { missed, statements, rows } = JSON.parse(out);
    need(count === 15 && missed.length === 0, missed.join('\n'));
    return `${statements} statements, ${rows} rows of ${count} questions`;
  });

  if (isStore) {
    await test('Spark has the rows of one process', async () => {
      const how = { env: { ...env, WINDROW_PYTHON: pythonOf(spark) } };
      const { out } = await load(['--engine', 'spark', '--master', 'local[2]'], how);
      await same();
      return `${JSON.parse(out).rows} raw rows`;
    });
    return;
  }
  await test('an engine that is not there is named with those that are', async () => {
    const { notes } = await load(['--engine', 'sparc'], { exit: 2 });
    need(/sparc.*neither spark nor a file.*--queue/s.test(notes), notes);
    const both = await load(['--engine', 'spark', '--queue', redis.url], { exit: 2 });
    need(/--queue or --engine/.test(both.notes), both.notes);
  });
}

/**
 * A lake of 330,000 raw rows: three chunks of the primary chain, and one of the zone chain.
 * WINDROW_SCALE has more: 1 is 33 million.
 */
async function makeUpLake(place) {
  const program = await programOf('bench/made-up-lake');
  await printedBy(process.execPath, [program, place, process.env.WINDROW_SCALE ?? '0.01']);
}

/** Puts the lake into a store, and returns the variables with its address. */
async function storeOf(place) {
  const url = `http://127.0.0.1:${await seaweed(BUCKET)}`;
  const { Operator } = await import('opendal');
  const store = new Operator('s3', {
    ...{ root: '/lake', bucket: BUCKET, endpoint: url, region: 'us-east-1' },
    ...{ access_key_id: KEYS.AWS_ACCESS_KEY_ID, secret_access_key: KEYS.AWS_SECRET_ACCESS_KEY },
  });
  const inside = await readdir(join(place, 'lake'), { recursive: true, withFileTypes: true });
  for (const entry of inside.filter((file) => file.isFile())) {
    const path = join(entry.parentPath, entry.name);
    await store.write(relative(place, path), await readFile(path));
  }
  return { ...KEYS, AWS_ENDPOINT_URL: url };
}

/** Rows and digests of all curated tables. */
async function digestsOf(data, env) {
  const ask = async (sql) => {
    const { out } = await windrow(['query', sql, '--json', ...data], { env });
    return JSON.parse(out);
  };
  const names = await ask(
    "SELECT view_name FROM duckdb_views() WHERE schema_name = 'curated_files' ORDER BY 1",
  );
  const digests = names.map(({ view_name: name }) => {
    const sum = 'coalesce(sum(hash(t)::HUGEINT), 0)::VARCHAR AS digest';
    return `SELECT '${name}' AS name, count(*) AS n, ${sum} FROM curated_files.${name} AS t`;
  });
  const rows = await ask(`${digests.join(' UNION ALL ')} ORDER BY 1`);
  need(rows.filter(({ n }) => Number(n) > 0).length >= 4, `few rows: ${JSON.stringify(rows)}`);
  return JSON.stringify(rows);
}

async function redisIn(work) {
  const port = await freePort();
  const args = ['--port', `${port}`, '--dir', work, '--save', '', '--appendonly', 'yes'];
  const server = started('redis-server', [...args, '--maxmemory-policy', 'noeviction']);
  let said = '';
  server.stdout.on('data', (text) => (said += text));
  await until(async () => /Ready to accept/.test(said), 'Redis');
  const url = `redis://127.0.0.1:${port}/0`;
  return { url, client: new Redis(url) };
}
