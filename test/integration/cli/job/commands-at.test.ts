import { mkdtemp, readdir, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { adviceAt, commandsAt, dataOption } from '../../../../src/cli/job/commands-at.ts';
import { Fault } from '../../../../src/fault.ts';
import { markRoot } from '../../../../src/land/data-root.ts';
import { localDisk } from '../../../../src/land/storage/disk.ts';
import { windrow } from '../../../e2e/command-line.ts';
import {
  SmallLake,
  TOKEN_20,
  TOKENS,
  TRANSACTIONS,
  TRANSACTIONS_BY_HASH,
  transaction,
  transfer,
} from '../../../fixtures/load-lake.ts';

/** Goal: a command that is copied from a message works on the data root that the message is about. */

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;

describe('a command in a message', () => {
  it.each([
    ['windrow load brings them up to date.', 'windrow load --data /lake brings them up to date.'],
    [
      'See windrow runs, or run windrow verify PIPELINE --repair.',
      'See windrow runs --data /lake, or run windrow verify --data /lake PIPELINE --repair.',
    ],
    ['Run: windrow run a.yaml --data /other now', 'Run: windrow run a.yaml --data /other now'],
    ['windrow describe lists all views', 'windrow describe lists all views'],
    ['windrow loads, and windrow-load', 'windrow loads, and windrow-load'],
  ])('names the data root: %s', (text, expected) => {
    expect(commandsAt('/lake', text)).toBe(expected);
    expect(commandsAt('data', text)).toBe(text);
  });

  it('quotes a path for a shell', () => {
    expect(dataOption("/srv/my lake's")).toBe(" --data '/srv/my lake'\\''s'");
    expect(commandsAt('$x', 'See windrow status.')).toBe("See windrow status --data '$x'.");
  });

  it('stays in advice of a fault, whose other parts are the same', () => {
    const fault = new Fault('lake', 'windrow load failed.', { where: 'x', advice: 'windrow load' });
    expect(adviceAt('/lake', fault)).toMatchObject({
      kind: 'lake',
      message: 'windrow load failed.',
      where: 'x',
      advice: 'windrow load --data /lake',
    });
    const error = new Error('windrow load');
    expect(adviceAt('/lake', error)).toBe(error);
  });

  it('gets the data root of every verb that has the default one', async () => {
    const { stdout } = await windrow(['--help']);
    const verbs = [...stdout.matchAll(/^ {2}windrow ([a-z]+)/gm)].map(([, verb = '']) => verb);
    for (const verb of verbs) {
      const help = (await windrow([verb, '--help'])).stdout;
      const hasDefault = /--data .*\n?.*\[default: "data"\]/.test(help);
      const named = commandsAt('/lake', `windrow ${verb}`).endsWith(' --data /lake');
      expect([verb, named]).toEqual([verb, hasDefault]);
    }
  });
});

describe('verbs on another data root', () => {
  let root = '';
  let data = '';
  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'windrow my lake-'));
    data = `--data '${root}'`;
    await markRoot(root, '0.1.0', localDisk);
    const small = await SmallLake.open(root);
    const records = [transaction({ txId: '0x1', height: '1', from: A })];
    await small.land(TRANSACTIONS, { keys: [A], records });
    await small.land(TRANSACTIONS_BY_HASH, { keys: ['0x1'], records });
    const transfers = [transfer({ txId: '0x1', height: '1', from: A, to: B })];
    await small.land(TOKENS, { keys: [B], params: TOKEN_20, records: transfers });
    small.lake.close();
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const run = (...args: string[]) => windrow([...args, '--data', root]);

  it('name it in the advice of their results, messages and faults', async () => {
    expect((await run('status')).stdout).toContain(`windrow load ${data} brings them up to date`);
    expect((await run('verify')).stdout).toContain(`windrow load ${data} brings them up to date`);
    const refused = await run('forget', A);
    expect(refused.stderr).toContain(`(windrow forget ${data} ADDRESS FILE...)`);
    const forgotten = await run('forget', A, '--keep-look-ups');
    expect(forgotten.stdout).toContain(
      `  windrow maintain ${data} --retain 0d deletes these files`,
    );
    const folder = join(root, 'lake', 'MAINCHAIN', 'token_transfers');
    const [name = ''] = (await readdir(folder)).filter((each) => each.endsWith('.parquet'));
    await truncate(join(folder, name), 100);
    for (const told of [(await run('load')).stderr, (await run('status')).stdout]) {
      expect(told).toContain(`run windrow verify ${data} PIPELINE --repair`);
    }
    const { stdout } = await run('load', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      error: { advice: expect.stringContaining(`windrow verify ${data} names`) },
    });
  });
});
