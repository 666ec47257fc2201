import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  finish,
  folder,
  KEYS,
  need,
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
/** Curated views whose rows must not depend on the place of the lake. */
const VIEWS = ['blocks', 'transactions', 'token_transfers'];

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
  const rowsOf = async (place, settings) => {
    const rows = {};
    for (const view of VIEWS) {
      const sql = `SELECT * EXCLUDE (sources) FROM ${view} ORDER BY ALL`;
      const args = ['query', sql, '--json', '--max-rows', '100000', ...place];
      rows[view] = JSON.stringify(JSON.parse((await windrow(args, { env: settings })).out));
      need(rows[view].length > 100, `${view} has no rows`);
    }
    return rows;
  };
  const sameAs = (rows, expected) => {
    for (const view of VIEWS) need(rows[view] === expected[view], `${view} has other rows`);
  };

  const local = ['--data', join(work, 'local')];
  await windrow(['run', pipeline, ...local]);
  const expected = await rowsOf(local);
  const main = data('main');

  await test('the contract of published files holds on the store', async () => {
    const vitest = join(ROOT, 'node_modules/.bin/vitest');
    const place = `${proxy.url} ${address('contract')}`;
    const child = spawn(vitest, ['run', 'test/integration/land/places'], {
      cwd: ROOT,
      env: { ...process.env, ...env, WINDROW_TEST_STORE: place },
    });
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
    const [code] = await once(child, 'close');
    need(code === 0, text);
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
    return `${commits} commits: ${JSON.stringify(counts)}; idle: ${JSON.stringify(idle)}`;
  });

  await test('a commit costs one conditional request and at most one list', async () => {
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

  await test('every verb works on an address', async () => {
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
    const unit = await run(['schedule', pipeline, ...main, '--as', 'crontab']);
    need(unit.out.includes(address('main')), unit.out);
    sameAs(await rowsOf(main, env), expected);
  });

  await test('verify finds damage in the store, though the copies here are whole', async () => {
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

  await test('sql, follow, serve and forget work on an address', async () => {
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

  await test('the local folder may be deleted, and another machine sees new runs', async () => {
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

  await test('two processes on one prefix lose nothing', async () => {
    const small = await pipelineIn(work, 'races', source, 'commit: { rows: 50, slices: 8 }');
    const runs = ['1000:1040', '1020:1060'].map((blocks, n) =>
      windrow(['run', small, ...data('both'), '--no-lock', '--blocks', blocks], {
        env: envOf(`half-${n}`),
        exit: 'any',
      }),
    );
    for (const { code, notes } of await Promise.all(runs)) need(code === 0, notes);
    const third = envOf('third');
    const { out } = await windrow(['run', pipeline, ...data('both'), '--json'], { env: third });
    sameAs(await rowsOf(data('both'), third), expected);
    await windrow(['verify', ...data('both')], { env: third });
    return `the third planned ${JSON.parse(out).planned?.slices ?? 0} slices`;
  });

  await test('a second run finds the lock, and waits for no dead one of its own machine', async () => {
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
  });

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
  for (const [name, fault] of Object.entries(faults)) {
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

  await test('kill -9 at any step leaves a whole lake, and the next run completes it', async () => {
    const steps = [2, 186, 188, 190, 193, 200];
    for (const step of steps) {
      const place = data(`killed-${step}`);
      const killed = { ...env, WINDROW_KILL_AT: String(step) };
      await windrow(['run', pipeline, ...place], { env: killed, exit: 'any' });
      await windrow(['verify', ...place], { env, exit: 'any' });
      await windrow(['run', pipeline, ...place], { env });
      sameAs(await rowsOf(place, env), expected);
      await windrow(['verify', ...place], { env });
    }
    return `killed at the steps ${steps.join(', ')}`;
  });

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

  await test('delta-rs and polars read the tables from the store', async () => {
    const python = process.env.WINDROW_PYTHON ?? join(ROOT, 'test/scale/.venv/bin/python');
    const child = spawn(
      python,
      [join(ROOT, 'test/scale/read_store.py'), address('main'), proxy.url],
      {
        env: { ...process.env, ...KEYS },
      },
    );
    let text = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part) => (text += part));
    const [code] = await once(child, 'close');
    need(code === 0, text);
    const read = JSON.parse(text);
    const count = async (table) => {
      const args = ['query', `SELECT count(*) AS n FROM ${table}`, '--json', ...main];
      return Number(JSON.parse((await windrow(args, { env })).out)[0].n);
    };
    need(read.raw === (await count('lake.blocks')), text);
    need(read.curated === (await count('transactions')), text);
    return text.trim();
  });

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
