import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  finish,
  folder,
  IS_SHORT,
  KEYS,
  longTest,
  need,
  printedBy,
  ROOT,
  reportTo,
  seaweed,
  servedChain,
  started,
  test,
  until,
  windrow,
} from './harness.mjs';
import { storeProxy } from './proxy.mjs';

/** The lake in an object store, with SeaweedFS behind a proxy that counts and misbehaves. */

const BUCKET = 'lake';
/** Curated tables whose rows must not depend on the place of the lake. */
const TABLES = ['blocks', 'transactions', 'token_transfers'];
const SEED = Number(process.env.WINDROW_SEED ?? Date.now() % 1_000_000);

export const scenarios = {
  'SeaweedFS behind a proxy': async (check) => {
    reportTo(check);
    try {
      await storeTests();
    } finally {
      await finish();
    }
  },
};

async function storeTests() {
  const [port, source, work] = [await seaweed(BUCKET), await servedChain(), await folder()];
  const proxy = await storeProxy(port);
  const envOf = (cache) => ({
    ...KEYS,
    AWS_ENDPOINT_URL: proxy.url,
    WINDROW_CACHE_DIR: join(work, cache),
  });
  const env = envOf('cache');
  const pipeline = await pipelineIn(work, 'small', source);
  const address = (prefix) => `s3://${BUCKET}/${prefix}`;
  const data = (prefix) => ['--data', address(prefix)];
  /** The rows of the curated tables, as numbers and digests. */
  const rowsOf = async (place, settings) => {
    const sql = TABLES.map(
      (name) => `SELECT '${name}' AS name, count(*) AS n, sum(hash(t)::HUGEINT)::VARCHAR AS digest
        FROM (SELECT COLUMNS(c -> c <> 'sources') FROM curated.${name}) t`,
    );
    const { out } = await windrow(['query', sql.join(' UNION ALL '), '--json', ...place], {
      env: settings,
    });
    const rows = JSON.parse(out).sort((a, b) => a.name.localeCompare(b.name));
    for (const { name, n } of rows) need(Number(n) > 60, `${name} has ${n} rows`);
    return JSON.stringify(rows);
  };
  const sameAs = (rows, expected) => need(rows === expected, `${rows} and not ${expected}`);

  const local = ['--data', join(work, 'local')];
  const traced = await windrow(['run', pipeline, ...local], { env: { WINDROW_TRACE_STEPS: '1' } });
  const steps = [...traced.notes.matchAll(/^step (\d+): (.*)$/gm)];
  const expected = await rowsOf(local);
  const main = data('main');

  await test('the contract of published files holds on the store', async () => {
    const vitest = join(ROOT, 'node_modules/.bin/vitest');
    const place = `${proxy.url} ${address('contract')}`;
    const settings = { ...env, WINDROW_TEST_STORE: place };
    await printedBy(vitest, ['run', 'test/integration/land/places'], settings);
    need(proxy.take()['PUT if absent'] > 30, 'the suite did not use the store');
  });

  await test('a run has the rows of a local one, with few requests', async () => {
    proxy.take();
    const { out } = await windrow(['run', pipeline, ...main, '--json'], { env });
    const { commits } = JSON.parse(out).actual;
    const counts = proxy.take();
    sameAs(await rowsOf(main, env), expected);
    proxy.take();
    await windrow(['run', pipeline, ...main], { env });
    const idle = proxy.take();
    need(idle.all <= 40, `a run with nothing to do sent ${JSON.stringify(idle)}`);
    await windrow(['plan', pipeline, ...main], { env: envOf('empty') });
    const tables = new Map();
    for (const [table] of proxy.log.join('\n').matchAll(/(lake|curated)\/\w+\/\w+\/_delta/g)) {
      tables.set(table, (tables.get(table) ?? 0) + 1);
    }
    const most = Math.max(...tables.values());
    need(most <= 3, `opening sent ${proxy.log.join('\n')}`);
    const opening = `opening ${tables.size} tables: ${most} per table at most`;
    const all = `${commits} commits: ${JSON.stringify(counts)}; idle: ${JSON.stringify(idle)}`;
    return `${all}; ${opening}, ${JSON.stringify(proxy.take())}`;
  });

  await longTest('a commit costs one conditional request and at most one list', async () => {
    const few = await pipelineIn(work, 'few', source, 'commit: { rows: 10 }');
    await windrow(['run', few, ...data('few'), '--blocks', '1000:1010'], { env });
    const before = await proxy.log.length;
    await windrow(['run', few, ...data('few'), '--blocks', '1000:1050'], { env });
    const log = proxy.log
      .slice(before)
      .filter((line) => line.includes('lake/MAINCHAIN/blocks/_delta'));
    const commits = log.filter((line) => line.startsWith('PUT if absent')).length;
    const lists = log.filter((line) => line.startsWith('LIST')).length;
    need(commits >= 3, `only ${commits} commits`);
    need(lists <= commits + 1, `${lists} lists for ${commits} commits`);
    return `${commits} commits: ${lists} lists, ${log.length} requests to the log`;
  });

  await longTest('every verb works on an address', async () => {
    const run = (args, exit = 0) => windrow(args, { env, exit, cwd: work });
    const status = await run(['status', ...main, '--json']);
    need(status.out.includes(address('main')), 'status does not name the address');
    need(!status.out.includes(join(work, 'cache')), 'status names the cache');
    const count = 'SELECT count(*) AS n FROM blocks';
    need(/61/.test((await run(['query', count, ...main])).out), 'query has other rows');
    need(/61/.test((await run(['query', count, ...main, '--as-of', hence()])).out), '--as-of');
    await run(['plan', pipeline, ...main]);
    await run(['export', 'blocks', ...main, '--out', join(work, 'blocks.parquet')]);
    await run(['verify', ...main]);
    await run(['verify', pipeline, ...main, '--repair']);
    await run(['check', ...main]);
    await run(['check', ...main, '--deep']);
    await run(['audit', pipeline, ...main]);
    await run(['maintain', ...main]);
    await run(['load', ...main]);
    await run(['runs', ...main]);
    const report = await run(['report', ...main]);
    need(report.out.includes(`${address('main')}/runs/`), report.out);
    await run(['notebook', 'address-report', ...main, '--out', join(work, 'notebook.ipynb')]);
    const connect = await run(['connect', ...main]);
    need(connect.out.includes(`${address('main')}/lake/MAINCHAIN`), connect.out);
    const doctor = await run(['doctor', pipeline, ...main]);
    need(/none damaged/.test(doctor.out), doctor.out);
    const daily = 'schedule: { cron: "0 3 * * *", timeZone: UTC }';
    const timed = await pipelineIn(work, 'timed', source, daily);
    const unit = await run(['schedule', timed, ...main, '--as', 'crontab']);
    need(unit.out.includes(address('main')), unit.out);
    sameAs(await rowsOf(main, env), expected);
  });

  await longTest('verify finds damage in the store, though the copies here are whole', async () => {
    const damaged = data('damaged');
    await windrow(['run', pipeline, ...damaged], { env });
    const entry = 'damaged/lake/MAINCHAIN/blocks/_delta_log/00000000000000000000.json';
    await put(proxy.url, `${BUCKET}/${entry}`, 'no entry');
    const { out } = await windrow(['verify', ...damaged], { env, exit: 'any' });
    need(out.includes(address(entry)), out);
    await windrow(['verify', pipeline, ...damaged, '--repair'], { env, exit: 'any' });
    await windrow(['run', pipeline, ...damaged], { env });
    await windrow(['verify', ...damaged], { env });
    sameAs(await rowsOf(damaged, env), expected);
  });

  await longTest('sql, follow, serve and forget work on an address', async () => {
    const shell = started(process.execPath, [join(ROOT, 'dist/cli/main.js'), 'sql', ...main], {
      env: { ...process.env, ...env },
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let text = '';
    for (const stream of [shell.stdout, shell.stderr]) stream.on('data', (part) => (text += part));
    shell.stdin.end('SELECT count(*) FROM blocks;\n');
    await once(shell, 'close');
    need(text.includes('61'), text);
    const copy = data('followed');
    const following = new AbortController();
    const ended = windrow(['follow', pipeline, ...copy], {
      env,
      exit: 'any',
      signal: following.signal,
    });
    const reader = envOf('reader');
    await until(async () => {
      const { out } = await windrow(['query', 'SELECT count(*) FROM blocks', ...copy], {
        env: reader,
      });
      return out.includes('61');
    }, 'the followed rows');
    following.abort();
    await ended;
    const served = started(
      process.execPath,
      [join(ROOT, 'dist/cli/main.js'), 'serve', ...main, '--no-auth', '--port', '0', '--pages'],
      { env: { ...process.env, ...env } },
    );
    let said = '';
    for (const stream of [served.stdout, served.stderr])
      stream.on('data', (part) => (said += part));
    const url = await until(async () => /at (http:\S+?);?\s/.exec(said)?.[1], 'the served lake');
    const path = '/api/v5/mainchain/block/block-fills?chainShortName=MAINCHAIN&height=1030';
    const reply = await (await fetch(url + path)).json();
    need(JSON.stringify(reply).includes('1030'), JSON.stringify(reply));
    const page = await fetch(`${url}/explore`);
    need(page.status === 200, `the page has status ${page.status}`);
    await windrow(['forget', `0x${'1'.repeat(40)}`, ...copy], { env });
  });

  await longTest('the local folder may be deleted, and another machine sees new runs', async () => {
    const other = envOf('other');
    sameAs(await rowsOf(main, other), expected);
    await rm(join(work, 'cache'), { recursive: true });
    sameAs(await rowsOf(main, env), expected);
    const grown = data('grown');
    await windrow(['run', pipeline, ...grown, '--blocks', '1000:1030'], { env });
    const count = ['query', 'SELECT count(*) AS n FROM blocks', ...grown];
    need(/31/.test((await windrow(count, { env: other })).out), 'the first rows are missing');
    await windrow(['run', pipeline, ...grown], { env });
    need(/61/.test((await windrow(count, { env: other })).out), 'the new rows are missing');
  });

  await test('two processes on one prefix lose nothing, though they are killed', async () => {
    const small = await pipelineIn(work, 'races', source, 'commit: { rows: 50, slices: 8 }');
    const random = randomOf(SEED);
    const kills = [];
    const half = async (blocks, n) => {
      const args = ['run', small, ...data('both'), '--no-lock', '--blocks', blocks];
      for (let left = IS_SHORT ? 1 : 5; left > 0; left -= 1) {
        // Early enough that each of them comes before the end.
        const WINDROW_KILL_AT = `${1 + Math.floor((random() * steps.length) / 5)}`;
        const killed = { ...envOf(`half-${n}`), WINDROW_KILL_AT };
        const { notes } = await windrow(args, { env: killed, exit: 'any' });
        const [kill] = /^killed at step .*/m.exec(notes) ?? [];
        need(kill !== undefined, `not killed at step ${WINDROW_KILL_AT}, seed ${SEED}`);
        kills.push(kill);
      }
      await windrow(args, { env: envOf(`half-${n}`) });
    };
    await Promise.all(['1000:1040', '1020:1060'].map(half));
    const third = envOf('third');
    const { out } = await windrow(['run', pipeline, ...data('both'), '--json'], { env: third });
    const { nothingToDo } = JSON.parse(out);
    need(nothingToDo === true, `the third process had work, seed ${SEED}: ${out}`);
    sameAs(await rowsOf(data('both'), third), expected);
    await windrow(['verify', ...data('both')], { env: third });
    return `the third planned nothing; seed ${SEED}: ${kills.join(', ')}`;
  });

  await longTest(
    'a second run finds the lock, and waits for no dead one of its own machine',
    async () => {
      const stop = new AbortController();
      const locked = data('locked');
      const first = windrow(['follow', pipeline, ...locked], {
        env,
        exit: 'any',
        signal: stop.signal,
      });
      await until(async () => {
        const { out } = await windrow(['status', ...locked], {
          env: envOf('looking'),
          exit: 'any',
        });
        return /under way/.test(out);
      }, 'the first run');
      stop.abort();
      await first;
      await windrow(['run', pipeline, ...locked], { env: envOf('next') });
    },
  );

  const faults = {
    'drops every tenth answer': (_kind, number) => ({ drop: number % 10 === 0 }),
    'answers 409 to conditions': (kind, number) =>
      kind === 'PUT if absent' && number % 2 === 0
        ? { status: 409, code: 'ConditionalRequestConflict' }
        : {},
    'answers 500 and 503': (_kind, number) =>
      number % 7 === 0
        ? { status: 503, code: 'SlowDown' }
        : number % 11 === 0
          ? { status: 500, code: 'InternalError' }
          : {},
    'answers late': () => ({ delayMs: 40 }),
  };
  const all = Object.values(faults);
  const together = (...request) => Object.assign({}, ...all.map((fault) => fault(...request)));
  const chosen = IS_SHORT ? { 'does all of this': together } : faults;
  for (const [name, fault] of Object.entries(chosen)) {
    await test(`a store that ${name} loses and doubles nothing`, async () => {
      const place = data(name.replaceAll(' ', '-'));
      proxy.misbehave(fault);
      try {
        await windrow(['run', pipeline, ...place], { env });
      } finally {
        proxy.misbehave();
      }
      sameAs(await rowsOf(place, env), expected);
      await windrow(['verify', ...place], { env });
    });
  }

  await test('a store that ignores If-None-Match is refused by doctor and by the first commit', async () => {
    proxy.misbehave(() => ({ unconditional: true }));
    try {
      const bad = data('bad');
      const { notes } = await windrow(['run', pipeline, ...bad], { env, exit: 1 });
      need(/would lose commits/.test(notes), notes);
      const { out } = await windrow(['doctor', pipeline, ...bad], { env, exit: 'any' });
      need(/would lose commits/.test(out), out);
    } finally {
      proxy.misbehave();
    }
  });

  await longTest(
    'kill -9 at any step leaves a whole lake, and the next run completes it',
    async () => {
      // Each kind of step once, wherever it comes; WINDROW_STEPS=1-60 is each of these that writes.
      const random = randomOf(SEED);
      const kinds = new Map(steps.map(([, , name]) => [name, []]));
      for (const step of steps) kinds.get(step[2]).push(step);
      const some = [...kinds.values()].map((same) => same[Math.floor(random() * same.length)]);
      const [from, to] = (process.env.WINDROW_STEPS ?? '').split('-').map(Number);
      const writing = steps.filter(([, , name]) => name !== 'slice walked');
      const every = writing.filter(([, step]) => from <= step && step <= to);
      const chosen = every.length > 0 ? every : some;
      for (const [, step] of chosen) {
        const place = data(`killed-${step}`);
        const killed = { ...env, WINDROW_KILL_AT: String(step) };
        await windrow(['run', pipeline, ...place], { env: killed, exit: 'any' });
        await windrow(['verify', ...place], { env, exit: 'any' });
        await windrow(['run', pipeline, ...place], { env });
        sameAs(await rowsOf(place, env), expected);
        await windrow(['verify', ...place], { env });
      }
      const at = chosen.map(([, step]) => step).join(', ');
      return `killed at the steps ${at} of ${steps.length}, seed ${SEED}`;
    },
  );

  await test('errors name the remedy', async () => {
    const cases = [
      [{ ...env, AWS_SECRET_ACCESS_KEY: 'wrong' }, address('x'), /credentials/],
      [env, 's3://no-such-bucket/x', /Create the bucket/],
    ];
    for (const [settings, place, advice] of cases) {
      const { notes, code } = await windrow(['run', pipeline, '--data', place], {
        env: settings,
        exit: 'any',
      });
      need(code !== 0 && advice.test(notes), notes);
    }
  });

  await longTest(
    'delta-rs, polars, ClickHouse and DuckDB read equal rows from the store',
    async () => {
      const python = join(ROOT, 'test/interop/.venv/bin/python');
      const script = await windrow(['connect', '--as', 'duckdb', ...main, '--json'], { env });
      const { statements, absent } = JSON.parse(script.out);
      const file = join(work, 'duckdb.json');
      await writeFile(file, JSON.stringify(statements));
      const read = [join(ROOT, 'test/scale/read_store.py'), address('main'), proxy.url, file];
      const readers = JSON.parse(
        await printedBy(python, read, { ...KEYS, AWS_REGION: 'us-east-1' }),
      );
      const sql = `SELECT tx_hash, block_number FROM curated.transactions ORDER BY ALL`;
      const query = ['query', sql, '--json', '--max-rows', '100000', ...main];
      const rows = JSON.parse((await windrow(query, { env })).out);
      const cells = rows.map((row) => [row.tx_hash, Number(row.block_number)]);
      for (const [reader, seen] of Object.entries(readers)) {
        need(
          JSON.stringify(seen) === JSON.stringify(cells),
          `${reader} has other rows: ${seen.length}`,
        );
      }
      const missing = Object.keys(absent).length;
      return `${cells.length} rows in ${Object.keys(readers)}; ${missing} views absent in DuckDB`;
    },
  );

  await test('opendal is loaded for such a data root alone', async () => {
    const preload = join(work, 'libraries.mjs');
    await writeFile(
      preload,
      `process.on('exit', () => process.stderr.write(
        'opendal: ' + process.report.getReport().sharedObjects.some((name) => /opendal/.test(name))));`,
    );
    const settings = { ...env, NODE_OPTIONS: `--import ${preload}` };
    const without = await windrow(['status', ...local], { env: settings });
    need(without.notes.includes('opendal: false'), without.notes);
    const beside = await windrow(['status', ...main], { env: settings });
    need(beside.notes.includes('opendal: true'), beside.notes);
  });
  proxy.close();
}

/** Puts an object with the package that windrow uses. */
async function put(endpoint, path, text) {
  const { Operator } = await import('opendal');
  const settings = { bucket: BUCKET, root: '/', endpoint, region: 'us-east-1' };
  settings.access_key_id = KEYS.AWS_ACCESS_KEY_ID;
  settings.secret_access_key = KEYS.AWS_SECRET_ACCESS_KEY;
  await new Operator('s3', settings).write(path.slice(BUCKET.length + 1), text);
}

/** Numbers from 0 to 1, the same for the same seed. */
function randomOf(seed) {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fffffff;
    return (state >> 8) / 2 ** 23;
  };
}

/** A time in the future, as text. */
function hence() {
  return new Date(Date.now() + 3_600_000).toISOString();
}

/** Writes a pipeline over blocks 1,000 to 1,060. */
async function pipelineIn(work, name, url, more = '') {
  const file = join(work, `${name}.yaml`);
  await writeFile(
    file,
    `version: 1
name: ${name}
source:
  url: ${url}
  chain: MAINCHAIN
  credentials: none
  concurrency: 8
  rate: { startPerSecond: 2000, maxPerSecond: 5000 }
blocks: { from: 1000, to: 1060 }
${more}
datasets:
  blocks: [{ endpoint: mainchain/block/block-fills }]
  transactions: [{ endpoint: mainchain/block/transaction-list }]
  token_transfers:
    - endpoint: mainchain/block/transaction-list
      each: { protocolType: [token_20] }
`,
  );
  return file;
}
