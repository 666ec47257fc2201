import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { Redis } from 'ioredis';
import { finish, freePort, IS_SHORT, KEYS, printedBy, programOf, seaweed } from './harness.mjs';

/**
 * Goal: workers over a real Redis leave the rows of a local run, whichever of them dies, stops or
 * has a wrong clock, and whatever Redis loses; and they share one rate and one quota.
 */

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const MAIN = here('../../dist/cli/main.js');
const CLOCK_AHEAD = ['--import', new URL('clock-ahead.mjs', import.meta.url).href];
const { simulatedChain } = await import('../../dist/service/simulated/chain.js');
const TABLES = ['transactions', 'internal_transactions', 'token_transfers'];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Opens what a scenario needs, and ends all of it afterwards. */
async function world(use) {
  const folder = await mkdtemp(join(tmpdir(), 'windrow-scale-'));
  const children = new Set();
  const clients = [];
  const start = (program, args) => {
    const env = { ...process.env, WINDROW_STATE_DIR: join(folder, 'state') };
    const child = spawn(program, args, { cwd: folder, env });
    child.said = '';
    for (const out of [child.stdout, child.stderr]) out.on('data', (text) => (child.said += text));
    child.ended = once(child, 'exit').then(([code]) => code);
    children.add(child);
    return child;
  };
  try {
    return await use({ folder, start, clients });
  } finally {
    for (const client of clients) client.disconnect();
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([...children].map(({ ended }) => ended));
    await rm(folder, { recursive: true, force: true });
  }
}

/** Resolves to the value of `look` once it is there; ends with the output of a child that ended. */
async function until(look, child) {
  for (;;) {
    const value = await look();
    if (value) return value;
    if (child?.exitCode !== null && child !== undefined) throw new Error(child.said);
    await pause(100);
  }
}

async function redisIn({ folder, start, clients }, settings = ['--appendonly', 'yes']) {
  const port = await freePort();
  const host = { url: `redis://127.0.0.1:${port}/0`, folder: join(folder, 'redis') };
  host.start = async () => {
    await mkdir(host.folder, { recursive: true });
    const args = ['--port', `${port}`, '--dir', host.folder, '--save', '', ...settings];
    host.server = start('redis-server', [...args, '--maxmemory-policy', 'noeviction']);
    await until(() => /Ready to accept/.test(host.server.said), host.server);
  };
  host.kill = async (keepsData) => {
    host.server.kill('SIGKILL');
    await host.server.ended;
    if (!keepsData) await rm(host.folder, { recursive: true });
  };
  await host.start();
  host.client = new Redis(host.url, { maxRetriesPerRequest: null, retryStrategy: () => 200 });
  host.client.on('error', () => undefined);
  clients.push(host.client);
  return host;
}

/** A service, a pipeline of 350 or some thousand requests over it, Redis, and verbs of windrow. */
async function lakes(use, { latencyMs = 0 } = {}) {
  return world(async (opened) => {
    const { folder, start } = opened;
    const redis = await redisIn(opened);
    const windrow = (...args) => start(process.execPath, [MAIN, ...args]);
    const faults = join(folder, 'faults.yaml');
    await writeFile(faults, `faults:\n  - { fault: delay, delayMs: ${Math.max(1, latencyMs)} }\n`);
    const serve = ['serve', '--chain', 'demo', '--no-auth', '--port', '0', '--json'];
    const large = ['--head', '60000', '--faults', faults];
    const service = windrow(...serve, ...(latencyMs > 0 ? large : []));
    const [, url] = await until(() => /"url": ?"([^"]+)"/.exec(service.said), service);
    const file = join(folder, 'pipeline.yaml');
    const keys = simulatedChain({ seed: 'demo', head: 30_000 }).addresses(latencyMs > 0 ? 64 : 16);
    await writeFile(join(folder, 'addresses.csv'), ['address', ...keys, ''].join('\n'));
    const partRequests = latencyMs > 0 ? '500' : '40';
    const perSecond = latencyMs > 0 ? 5000 : IS_SHORT ? 15 : 30;
    const list = (name) => `    - { endpoint: mainchain/address/${name}, keys: addresses }`;
    const lines = [
      'version: 1',
      'name: scale',
      `source: { url: "${url}", chain: MAINCHAIN, credentials: none, finalityLagBlocks: 64,`,
      `  rate: { startPerSecond: ${perSecond}, maxPerSecond: ${perSecond} } }`,
      'keys:',
      '  addresses: { file: addresses.csv }',
      '  calls: { from: [internal_transactions] }',
      `blocks: { from: ${latencyMs > 0 ? 0 : IS_SHORT ? 25_000 : 20_000}, to: safe }`,
      'windowBlocks: 500',
      'groupSize: 2',
      ...(latencyMs > 0 ? [] : ['commit: { rows: 1000, slices: 30, seconds: 1 }']),
      'datasets:',
      '  transactions:',
      list('normal-transaction-list-multi'),
      '  internal_transactions:',
      list('internal-transaction-list-multi'),
      '    - { endpoint: mainchain/transaction/internal-transaction-detail, keys: calls }',
      '  token_transfers:',
      '    - endpoint: mainchain/address/token-transaction-list',
      '      keys: addresses',
      '      each: { protocolType: [token_20, token_721] }',
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const worker = (node = []) => {
      const verb = ['worker', '--queue', redis.url, '--data', 'shared', '--verbose'];
      return start(process.execPath, [...node, MAIN, ...verb]);
    };
    const submit = (...more) =>
      windrow(
        'run',
        file,
        '--queue',
        redis.url,
        '--part-requests',
        partRequests,
        '--json',
        ...more,
      );
    return use({ ...opened, redis, windrow, worker, submit, file });
  });
}

/** The content of the raw tables of a data root, without lineage. */
async function contentOf({ windrow }, root) {
  const sql = TABLES.map(
    (name) => `SELECT '${name}' AS name, count(*) AS n, bit_xor(hash(t))::VARCHAR AS content
      FROM (SELECT COLUMNS(c -> c[1] <> '_') FROM lake.${name}) t`,
  ).join(' UNION ALL ');
  const query = windrow('query', `${sql} ORDER BY name`, '--json', '--data', root);
  if ((await query.ended) !== 0) throw new Error(query.said);
  return query.said;
}

let local;
/** The content that a local run leaves, once for all scenarios. */
async function localContent(opened) {
  if (local !== undefined) return local;
  const run = opened.windrow('run', opened.file, '--data', 'local', '--quiet');
  if ((await run.ended) !== 0) throw new Error(run.said);
  local = await contentOf(opened, 'local');
  return local;
}

const documentIn = (text) => JSON.parse(text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1));
const queued = async (redis) => {
  const [run] = await redis.client.zrange('{windrow}:runs:all', -1, -1);
  return run === undefined ? {} : redis.client.hgetall(`{windrow}:run:${run}`);
};
const parts = async (redis) => Number((await queued(redis)).parts ?? 0);

/** The run ended well, and the lake equals that of a local run. */
async function checkEnd(check, opened, run, code) {
  const isWell = code === 0;
  check('the run ends with exit code 0', isWell, isWell ? '' : run.said.slice(-2000));
  const seen = await contentOf(opened, 'shared');
  const expected = await localContent(opened);
  check('the rows are those of a local run', seen === expected, seen === expected ? '' : seen);
}

const all = {
  'workers that die, stop and have a wrong clock': (check) =>
    lakes(async (opened) => {
      const { redis, worker, submit } = opened;
      const [killed, stopped] = [worker(), worker()];
      worker(CLOCK_AHEAD);
      const run = submit();
      const active = async (child) => {
        const figures = await redis.client.hgetall('{windrow}:workers:all');
        return Object.entries(figures).some(([name, text]) => {
          return name.endsWith(`-${child.pid}`) && text.includes('"part"');
        });
      };
      await until(async () => (await parts(redis)) > 1 && (await active(killed)), run);
      const delay = monitorEventLoopDelay();
      delay.enable();
      killed.kill('SIGKILL');
      const killedMs = Date.now();
      // Figures are a second old: a worker may have ended its job meanwhile, and the run goes on.
      const isStalled = async (count) =>
        Number((await queued(redis)).stalled ?? 0) >= count || run.exitCode !== null;
      await until(() => isStalled(1), run);
      const tookMs = Date.now() - killedMs;
      // A loaded machine makes those late that look for such jobs.
      const isStarved = delay.max / 1e6 > 100;
      const isSoon = isStarved || run.exitCode !== null || tookMs <= 15_500;
      check('the job of a killed worker waits again within 15 s', isSoon, `${tookMs} ms`);
      await until(async () => run.exitCode !== null || (await active(stopped)), run);
      stopped.kill('SIGSTOP');
      worker();
      await until(() => isStalled(2), run);
      const hadNoJob = run.exitCode !== null;
      check('so does that of a stopped one', true, hadNoJob ? 'it had no job when it stopped' : '');
      stopped.kill('SIGCONT');
      await checkEnd(check, opened, run, await run.ended);
      const { workers } = documentIn(run.said);
      const isOnce = workers.parts === workers.queuedParts;
      check('the report counts each part once', isOnce, JSON.stringify(workers));
      const again = submit();
      check('a second run ends, too', (await again.ended) === 0);
      const { nothingToDo } = documentIn(again.said);
      check('it has nothing to fetch', nothingToDo === true);
    }),

  'Redis killed, with and without its data': (check) =>
    lakes(async (opened) => {
      const { redis, worker, submit, windrow } = opened;
      const [first] = [worker(), worker()];
      const run = submit();
      await until(async () => (await parts(redis)) > 1, run);
      await redis.kill(true);
      await pause(4000);
      await redis.start();
      const before = await until(() => parts(redis), run);
      await until(async () => (await parts(redis)) > before, run);
      check('the run goes on after a restart of Redis', true);
      await redis.kill(false);
      await redis.start();
      check('a run that Redis lost ends with exit code 1', (await run.ended) === 1);
      check('and says so', /Redis has lost the run/.test(run.said), run.said.slice(-500));
      const again = submit();
      await until(async () => (await parts(redis)) > 0, again);
      first.kill('SIGTERM');
      check('a worker ends well at SIGTERM', (await first.ended) === 0, first.said.slice(-300));
      const status = windrow('status', '--queue', redis.url, '--json');
      await status.ended;
      const { runs, workers } = documentIn(status.said);
      check('status shows the run', runs.length === 1 && runs[0].queuedParts > 0);
      check('status shows the worker', workers.length >= 1, JSON.stringify(workers));
      await checkEnd(check, opened, again, await again.ended);
    }),

  'no Redis, no request': (check) =>
    world(async (opened) => {
      const port = await freePort();
      const args = [MAIN, 'worker', '--queue', `redis://127.0.0.1:${port}/0`, '--patience', '1s'];
      const worker = opened.start(process.execPath, args);
      check('a worker without Redis ends with exit code 1', (await worker.ended) === 1);
      check('and says so', /Redis does not answer/.test(worker.said), worker.said);
      const redis = await redisIn(opened, ['--appendonly', 'no']);
      const file = here('../../pipelines/demo.yaml');
      const doctor = opened.start(process.execPath, [MAIN, 'doctor', file, '--queue', redis.url]);
      await doctor.ended;
      check('doctor warns of a Redis that loses jobs', /appendonly no/.test(doctor.said));
      const workerOf = (root) =>
        opened.start(process.execPath, [MAIN, 'worker', '--queue', redis.url, '--data', root]);
      const first = workerOf('one');
      await until(() => redis.client.get('{windrow}:lake:all'), first);
      const other = workerOf('other');
      check('a worker with another data root ends with exit code 2', (await other.ended) === 2);
      check('and says so', /another data root/.test(other.said), other.said);
      first.kill('SIGTERM');
      check('the first worker stays', (await first.ended) === 0, first.said);
    }),

  'one key, a hidden limit of 200 requests per second': (check) =>
    world(async (opened) => {
      const redis = await redisIn(opened);
      const program = await programOf('scale/pace-process');
      const limit = 200;
      const times = [];
      let rejected = 0;
      // A bucket of a fifth of a second.
      let tokens = limit / 5;
      let filledMs = performance.now();
      const service = createServer((_, answer) => {
        const nowMs = performance.now();
        tokens = Math.min(limit / 5, tokens + ((nowMs - filledMs) * limit) / 1000);
        filledMs = nowMs;
        times.push(nowMs);
        const isOver = tokens < 1;
        if (isOver) rejected += 1;
        else tokens -= 1;
        setTimeout(() => answer.writeHead(isOver ? 429 : 200).end(), 30);
      });
      service.listen(0, '127.0.0.1');
      await once(service, 'listening');
      const url = `http://127.0.0.1:${service.address().port}/`;
      const seconds = 120;
      const args = [program, redis.url, url, `${seconds}`];
      const processes = [[], [], [], CLOCK_AHEAD].map((node) => {
        return opened.start(process.execPath, [...node, ...args]);
      });
      const startMs = performance.now();
      const delay = monitorEventLoopDelay();
      delay.enable();
      for (const child of processes) if ((await child.ended) !== 0) throw new Error(child.said);
      service.close();
      // The beginning learns the limit.
      const learned = times.filter((atMs) => atMs - startMs > 60_000);
      const most = mostInASecond(learned);
      const spanS = ((learned.at(-1) ?? 0) - (learned[0] ?? 0)) / 1000;
      const used = learned.length / spanS / limit;
      // A machine that stalls bunches requests on their way, and says nothing about the pace.
      const stalledMs = delay.max / 1e6;
      const isStarved = stalledMs > 100;
      const figures = `(stalled for ${stalledMs.toFixed(0)} ms) ${most} at most, ${(100 * used).toFixed(0)} % used, ${rejected} rejected`;
      // Tests of a higher limit go up to 5 % above this one, until its bucket is empty.
      check('no second has more than 105 %', isStarved || most <= 1.05 * limit, figures);
      check('at least 90 % are used', isStarved || used >= 0.9, figures);
      check('at most 1 % are rejected', isStarved || rejected <= 0.01 * times.length, figures);
    }),

  'rows per CPU second of 1, 2 and 4 workers': async (check) => {
    const figures = [];
    for (const count of [1, 2, 4]) {
      await lakes(
        async ({ folder, redis, worker, submit, windrow }) => {
          const workers = Array.from({ length: count }, () => worker());
          // Each waits for two kinds of jobs.
          const waiting = async () => (await redis.client.client('LIST')).match(/cmd=bzpopmin/g);
          await until(async () => (await waiting())?.length === 2 * count);
          // The start of a worker, and the compilation of its code, are no work.
          const first = submit('--blocks', '0:19999');
          if ((await first.ended) !== 0) throw new Error(first.said);
          const cpuOfAll = async () =>
            (await Promise.all(workers.map(cpuOf))).reduce((sum, seconds) => sum + seconds);
          const before = await cpuOfAll();
          const run = submit('--blocks', '20000:59000');
          if ((await run.ended) !== 0) throw new Error(run.said);
          const cpu = Math.round(100 * ((await cpuOfAll()) - before)) / 100;
          const root = join(folder, 'shared');
          const counts = TABLES.map(
            (name) => `SELECT count(*) AS n FROM lake.${name} WHERE block_number >= 20_000`,
          );
          const query = windrow('query', counts.join(' UNION ALL '), '--json', '--data', root);
          await query.ended;
          const rows = JSON.parse(query.said).reduce((sum, { n }) => sum + Number(n), 0);
          figures.push({ count, rows, cpu, perCpu: rows / cpu });
        },
        { latencyMs: 80 },
      );
    }
    const text = figures
      .map(({ count, rows, cpu, perCpu }) => `${count}: ${rows} / ${cpu} s = ${perCpu.toFixed(0)}`)
      .join(', ');
    const [one, ...more] = figures;
    check(
      'none is below 0.9 of one',
      one.rows > 0 && more.every((other) => other.perCpu >= 0.9 * one.perCpu),
      text,
    );
  },

  'sixteen writers at six tables of a store': (check) =>
    world(async (opened) => {
      try {
        const [redis, port] = [await redisIn(opened), await seaweed('lake')];
        const program = await programOf('scale/race-process');
        const env = { ...KEYS, AWS_ENDPOINT_URL: `http://127.0.0.1:${port}` };
        for (const turns of [['turns'], []]) {
          const [name = 'free'] = turns;
          const copies = join(opened.folder, name);
          const args = [program, redis.url, `s3://lake/${name}`, copies, '60', '16', ...turns];
          const said = await printedBy(process.execPath, args, env);
          const { commits, lost, missing } = JSON.parse(said);
          check(`${name}: no claim is missing`, missing === 0 && commits > 60, said.trim());
          if (name === 'turns') check('at most 1 % are lost', lost <= commits / 100, said.trim());
        }
      } finally {
        await finish();
      }
    }),

  'one daily quota': (check) =>
    world(async (opened) => {
      const redis = await redisIn(opened);
      const program = await programOf('scale/pace-process');
      const take = async (name, node) => {
        const args = [...node, program, redis.url, 'quota', '300', join(opened.folder, name)];
        const taking = opened.start(process.execPath, args);
        if ((await taking.ended) !== 0) throw new Error(taking.said);
        return Number(taking.said);
      };
      const granted = await Promise.all(['a', 'b', 'c'].map((name) => take(name, [])));
      const sum = granted.reduce((all, count) => all + count, 0);
      check('three hosts take it once', sum === 300, granted.join(' + '));
      await redis.client.flushall();
      const [most] = ['a', 'b', 'c'].sort(
        (x, y) => granted['abc'.indexOf(y)] - granted['abc'.indexOf(x)],
      );
      const later = await take(most, []);
      const share = granted['abc'.indexOf(most)];
      check('a host remembers its own requests', later <= 300 - share, `${share} + ${later}`);
    }),

  'the property of a shared pace over Redis': (check) =>
    world(async (opened) => {
      const redis = await redisIn(opened);
      const args = ['run', 'test/property/shared-pacer.test.ts', '-t', 'processes that are killed'];
      await printedBy(here('../../node_modules/.bin/vitest'), args, {
        WINDROW_TEST_REDIS: redis.url,
      });
      check('holds', true);
    }),
};

const LONG = [
  'Redis killed, with and without its data',
  'one key, a hidden limit of 200 requests per second',
  'rows per CPU second of 1, 2 and 4 workers',
  'sixteen writers at six tables of a store',
];
export const scenarios = Object.fromEntries(
  Object.entries(all).filter(([name]) => !IS_SHORT || !LONG.includes(name)),
);

/** CPU seconds of a process that runs. */
async function cpuOf({ pid }) {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1].split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}

function mostInASecond(times) {
  let first = 0;
  return times.reduce((most, atMs, at) => {
    while (times[first] <= atMs - 1000) first += 1;
    return Math.max(most, at - first + 1);
  }, 0);
}
