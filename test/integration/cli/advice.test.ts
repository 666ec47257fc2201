import { mkdir, mkdtemp, readdir, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { PROGRAM } from '../../../service/src/program.ts';
import { commandLine } from '../../../src/cli/command-line.ts';
import { dataOption, Fault } from '../../../src/fault.ts';
import { markRoot } from '../../../src/land/data-root.ts';
import { localDisk } from '../../../src/land/storage/disk.ts';
import { windrow } from '../../e2e/command-line.ts';
import { LIST, SmallLake, TOKEN_20, transaction, transfer } from '../../fixtures/load-lake.ts';
import { quietConsole } from '../../fixtures/quiet-console.ts';
import { freshFolder } from '../../fixtures/when-over.ts';
import { readSources } from '../../model/source-tree.ts';

/** Goal: a command that is copied from advice works on the data root that the advice is about. */

const A = `0x${'a'.repeat(40)}`;
const B = `0x${'b'.repeat(40)}`;

/** Commands whose verb the source names; others are made where they are shown. */
const COMMAND = /(?:command|again)(?::| =) [`'](windrow [a-z][^`']*)[`']/gi;
/** Messages of the parser about a command that it does not know. */
const REFUSED =
  /There is no (verb|option|unknown)|Unexpected argument|needs <|> cannot be|has no value/;

it('can be typed with the data root at its end', async () => {
  const folder = await freshFolder();
  const commands = new Set(['windrow verify PIPELINE --repair']);
  for (const [, text] of await readSources('.')) {
    for (const [, command = ''] of text.matchAll(COMMAND)) commands.add(command);
  }
  expect(commands.size).toBeGreaterThan(20);
  for (const command of commands) {
    const plain = command
      .replace(/\$\{dataOption\(.*?\)\}/, '')
      .replace(/\$\{[^}]*\}/g, 'PIPELINE');
    const words = plain.replaceAll('PIPELINE', join(folder, 'no.yaml')).split(' ').slice(1);
    const ended = await commandLine([...words, '--data', folder], quietConsole, PROGRAM).then(
      () => '',
      (error: unknown) => {
        if (error instanceof Fault) return error.message;
        throw error;
      },
    );
    expect(ended, command).not.toMatch(REFUSED);
  }
});

it('ends with the data root, quoted for a shell', () => {
  expect(dataOption('data')).toBe('');
  const place = { root: "/srv/my lake's", pipeline: 'a b.yaml' };
  const option = dataOption(place.root);
  expect(option).toBe(" --data '/srv/my lake'\\''s'");
  const advice = { text: 'Build it.', command: 'windrow load' };
  const fault = new Fault('lake', 'It is not there.', { where: 'x', advice });
  expect(fault.paragraph()).toBe('x: It is not there. Build it. Run: windrow load');
  expect(fault.at(place)).toMatchObject({
    kind: 'lake',
    where: 'x',
    advice: `Build it. Run: windrow load${option}`,
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
    await small.land(LIST.transactions, { keys: [A], records });
    await small.land(LIST.transactionsByHash, { keys: ['0x1'], records });
    const transfers = [transfer({ txId: '0x1', height: '1', from: A, to: B })];
    await small.land(LIST.tokens, { keys: [B], params: TOKEN_20, records: transfers });
    small.lake.close();
  });
  afterAll(() => rm(root, { recursive: true, force: true }));

  const run = (...args: string[]) => windrow([...args, '--data', root]);

  it('name it in the advice of their results, messages and faults', async () => {
    expect((await run('status')).stdout).toContain(`Run: windrow load ${data}\n`);
    expect((await run('verify')).stdout).toContain(`Run: windrow load ${data}\n`);
    const refused = await run('forget', A);
    expect(refused.stderr).toContain(`Run: windrow forget ${A} --keep-look-ups ${data}\n`);
    const forgotten = await run('forget', A, '--keep-look-ups');
    expect(forgotten.stdout).toContain(`Run: windrow maintain --retain 0d ${data}\n`);
    const folder = join(root, 'lake', 'MAINCHAIN', 'token_transfers');
    const [name = ''] = (await readdir(folder)).filter((entry) => entry.endsWith('.parquet'));
    await truncate(join(folder, name), 100);
    const told = async () => [(await run('load')).stderr, (await run('status')).stdout];
    const repair = (file: string) => `Run: windrow verify ${file} --repair ${data}\n`;
    for (const text of await told()) expect(text).toContain(repair('PIPELINE'));
    await mkdir(join(root, 'runs'));
    await writeFile(join(root, 'runs/last_run.json'), '{"pipelineFile":"my pipeline.yaml"}');
    for (const text of await told()) expect(text).toContain(repair("'my pipeline.yaml'"));
    const { stdout } = await run('load', '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      error: { command: `windrow verify 'my pipeline.yaml' --repair ${data}` },
    });
  });
});
