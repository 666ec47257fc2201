import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { chainSource } from '../../service/src/memory/chain-source.ts';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { Fault, openWindrow, type RunEvent } from '../../src/index.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { PIPELINE, serve } from './harness.ts';

/** Goal: the package does as a library what its commands do, and the examples of its docs work. */

const REPOSITORY = fileURLToPath(new URL('../../', import.meta.url));
const chain = simulatedChain({ seed: 'library', head: 400 });
let folder = '';
let url = '';

beforeAll(async () => {
  folder = await freshFolder();
  const served = await serve(chainSource(chain));
  url = served.url;
  await cp(join(REPOSITORY, 'pipelines'), join(folder, 'pipelines'), { recursive: true });
  await mkdir(join(folder, 'node_modules'));
  await symlink(REPOSITORY, join(folder, 'node_modules/windrow'), 'dir');
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  const addresses = ['address', ...chain.addresses(3), ''];
  await writeFile(join(folder, 'addresses.csv'), addresses.join('\n'));
  const text = PIPELINE.replace('http://127.0.0.1:1', url)
    .replace('{ to: head }', '{ from: 50, to: head }')
    .replace(/list: \[.*\]/, `list: ${JSON.stringify(chain.addresses(2))}`);
  await writeFile(join(folder, 'own.yaml'), text);
});

/** Runs a code block of docs/library.md with this program, in a project that has the package. */
async function example(at: number, ...program: string[]): Promise<string> {
  const text = await readFile(join(REPOSITORY, 'docs/library.md'), 'utf8');
  const [, code = ''] = [...text.matchAll(/```js\n([\s\S]*?)```/g)][at] ?? [];
  expect(code.split('\n').length).toBeLessThanOrEqual(21);
  await writeFile(join(folder, `example${at}.js`), code);
  const options = { cwd: folder, env: { ...process.env, SERVICE_URL: url } };
  const args = [...program, `example${at}.js`];
  return (await promisify(execFile)(process.execPath, args, options)).stdout;
}

test('a script of 20 lines exports addresses and reads the ledger', async () => {
  const output = await example(0);
  expect(output).toMatch(/^[0-9]+ slices to fetch\n0 [1-9][0-9]* [1-9][0-9]*\n$/);
});

test('a test of a user runs an export', async () => {
  expect(await example(1, '--test')).toMatch(/pass 1/);
});

test('plan, run, query, export, verify and maintain work on one data root', async () => {
  const windrow = openWindrow({ data: join(folder, 'lake') });
  const pipeline = join(folder, 'own.yaml');
  const plan = await windrow.plan(pipeline);
  expect(plan['requests']).toBeGreaterThan(0);
  const run = windrow.run(pipeline);
  const events: RunEvent[] = [];
  for await (const event of run) events.push(event);
  expect(events.map(({ kind }) => kind)).toEqual(
    expect.arrayContaining(['planned', 'progressed', 'publishing']),
  );
  expect(await run.report).toMatchObject({ exitCode: 0, nothingToDo: false });
  // Alerts count runs up to the last final block, as on the command line, and no others.
  for (const [blocks, isWhole] of [
    ['-100:', true],
    ['100:120', false],
  ] as const) {
    expect(await windrow.run(pipeline, { blocks }).report).toMatchObject({ exitCode: 0, isWhole });
  }
  const { rows } = await windrow.query('SELECT count(*) AS n FROM transactions');
  const file = join(folder, 'transactions.csv');
  const written = await windrow.export({ from: { view: 'transactions' }, file, format: 'csv' });
  expect(written).toMatchObject({ file, rows: Number(rows[0]?.['n']) });
  expect(written.rows).toBeGreaterThan(0);
  expect((await windrow.verify()).damages).toEqual([]);
  expect(await windrow.maintain()).toMatchObject({ exitCode: 0 });
  await windrow.close();
});

test('a run that cannot continue rejects its report and ends its events with the same fault', async () => {
  const windrow = openWindrow({ data: join(folder, 'none') });
  const run = windrow.run(join(folder, 'absent.yaml'));
  const read = async () => {
    for await (const _ of run);
  };
  await expect(read()).rejects.toBeInstanceOf(Fault);
  await expect(run.report).rejects.toMatchObject({ kind: 'configuration', exitCode: 2 });
});

test('options that a script misspells or fills with another type are refused', async () => {
  const refused = { kind: 'usage', exitCode: 2 };
  const open = openWindrow as (options?: object) => ReturnType<typeof openWindrow>;
  for (const options of [
    undefined,
    {},
    { data: undefined },
    { data: 5 },
    { data: '' },
    { data: 'a', root: 'b' },
  ]) {
    expect(() => open(options)).toThrow(expect.objectContaining(refused));
  }
  const windrow = openWindrow({ data: join(folder, 'nowhere') });
  const pipeline = join(folder, 'own.yaml');
  for (const options of [{ block: '-5:' }, { blocks: 5 }, { only: 'blocks' }] as object[]) {
    await expect(windrow.plan(pipeline, options)).rejects.toMatchObject(refused);
    await expect(windrow.run(pipeline, options).report).rejects.toMatchObject(refused);
    await expect(windrow.follow(pipeline, options).exitCode).rejects.toMatchObject(refused);
  }
  await expect(windrow.plan(undefined as unknown as string)).rejects.toMatchObject(refused);
  for (const maxRows of [Number.NaN, -1, 'all' as unknown as number]) {
    await expect(windrow.query('SELECT 1', { maxRows })).rejects.toMatchObject(refused);
  }
  const following = { only: ['blocks'] } as object;
  await expect(windrow.follow(pipeline, following).exitCode).rejects.toMatchObject(refused);
  const from = { view: 'transactions' };
  for (const options of [undefined, { from }, { file: 'a' }, { from, file: 'a', format: 'foo' }]) {
    await expect(windrow.export(options as never)).rejects.toMatchObject(refused);
  }
  await expect(windrow.maintain({ chains: 'a' } as object)).rejects.toMatchObject(refused);
  await expect(windrow.verify()).rejects.toMatchObject(refused); // no lake is not an intact one
});

test('close ends a follower, which has landed rows until then', async () => {
  const windrow = openWindrow({ data: join(folder, 'followed') });
  const followed = windrow.follow(join(folder, 'own.yaml'), { everyMs: 10 });
  for await (const event of followed) if (event.kind === 'progressed' && event.rows > 0) break;
  await windrow.close();
  expect(await followed.exitCode).toBe(0);
});
