import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { beforeEach, describe, expect, it } from 'vitest';
import { printResult } from '../../../../../src/cli/terminal/verb-result.ts';
import { type JobKind, KINDS } from '../../../../../src/cli/verbs/init/fields.ts';
import { initVerb } from '../../../../../src/cli/verbs/init/init.ts';
import { chosen } from '../../../../../src/cli/verbs/init/questions.ts';
import { terminalQuestions } from '../../../../../src/cli/verbs/init/terminal-questions.ts';
import { loadPipeline } from '../../../../../src/run/job/pipeline-file.ts';
import { keepingConsole } from '../../../../fixtures/quiet-console.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

/** Goal: a folder that `windrow init` has written can be run as it is, and nothing is overwritten. */

const URL = 'https://explorer.example/base';
const ONE = `0x${'1'.repeat(40)}`;
const TWO = `0x${'2'.repeat(40)}`;

let folder = '';
const said: string[] = [];
const output = keepingConsole(said);
beforeEach(async () => {
  folder = await freshFolder();
  said.length = 0;
});
const written = (name: string) => readFile(join(folder, name), 'utf8');
const init = (options: Record<string, unknown> = {}) =>
  printResult(
    initVerb(
      { folder, force: false, url: URL, addresses: `${ONE}=treasury,${TWO}`, ...options },
      output,
    ),
    output,
  );

describe('a new folder', () => {
  it.each(Object.keys(KINDS) as JobKind[])('of the kind %s has a valid pipeline', async (kind) => {
    expect(await init({ kind, ...(KINDS[kind].keys ? {} : { addresses: undefined }) })).toBe(0);
    const { pipeline, keys } = await loadPipeline(join(folder, `${kind}.yaml`), {});
    expect(pipeline.name).toBe(kind);
    expect(pipeline.source).toMatchObject({ url: URL, pathSegment: 'mainchain' });
    if (KINDS[kind].keys) expect(Object.values(keys)).toEqual([[ONE, TWO]]);
    expect(await written(`${kind}.yaml`)).not.toContain('example.csv');
    expect(await written(`${kind}.yaml`)).not.toContain('127.0.0.1');
  });

  it('has the values of the options, and comments', async () => {
    await init({
      chain: 'ON',
      'zone-chain': '42',
      'path-segment': 'eth',
      'zone-segment': 'l2',
      'header-prefix': 'My-',
      credentials: 'file',
      authentication: 'key',
      from: '7',
      'zone-from': '8',
    });
    const { pipeline, names } = await loadPipeline(join(folder, 'address-activity.yaml'), {});
    expect(pipeline.source).toMatchObject({
      chain: 'ON',
      zoneChain: '42',
      pathSegment: 'eth',
      zoneSegment: 'l2',
      headerPrefix: 'My-',
      credentials: { kind: 'file', file: 'secrets.json' },
      authentication: 'key',
    });
    expect([pipeline.blocks.from, pipeline.zoneBlocks.from]).toEqual([7, 8]);
    expect(names.labels?.get(ONE)).toBe('treasury');
    expect((await written('address-activity.yaml')).match(/#/g)?.length).toBeGreaterThan(30);
    expect(said.join('\n')).toContain('secrets.json with {"accessKey": "..."}, mode 0600');
  });

  it('keeps secrets and data out of version control, and names the next commands', async () => {
    await init();
    expect((await readdir(folder)).sort()).toEqual([
      '.env.example',
      '.gitignore',
      'address-activity.yaml',
      'addresses.csv',
      'pipeline.schema.json',
    ]);
    expect(await written('.gitignore')).toBe('/data/\n/.env\n/secrets.json\n');
    expect(await written('.env.example')).toMatch(/^WINDROW_PASSPHRASE=$/m);
    const file = join(folder, 'address-activity.yaml');
    const lines = ['doctor', 'plan', 'run'].map(
      (verb) => `\n  windrow ${verb} ${file} --data ${folder}/data`,
    );
    expect(said.at(-1)).toBe(`Next:${lines.join('')}`);
  });

  it('copies the addresses and labels of a CSV file', async () => {
    const mine = join(folder, 'mine.csv');
    await writeFile(mine, `label,address\n"a, ""b""",${TWO}\n# one\nc,${ONE}\n`);
    await init({ addresses: mine });
    const { names } = await loadPipeline(join(folder, 'address-activity.yaml'), {});
    expect([names.labels?.get(ONE), names.labels?.get(TWO)]).toEqual(['c', 'a, "b"']);
  });
});

describe('files that exist', () => {
  it('stay as they are, and nothing else is written, without --force', async () => {
    await writeFile(join(folder, 'addresses.csv'), 'mine');
    await expect(init()).rejects.toMatchObject({
      kind: 'usage',
      message: 'The folder already has addresses.csv.',
    });
    expect(await readdir(folder)).toEqual(['addresses.csv']);
    expect(await written('addresses.csv')).toBe('mine');
    expect(await init({ force: true })).toBe(0);
    expect(await written('addresses.csv')).toContain(ONE);
  });

  it('include .gitignore: only the lines that it lacks are named', async () => {
    await writeFile(join(folder, '.gitignore'), 'data\nnode_modules/\n');
    await init({ force: true });
    expect(await written('.gitignore')).toBe('data\nnode_modules/\n');
    expect(said).toContain(`Add to ${join(folder, '.gitignore')}: /.env /secrets.json`);
  });
});

describe('options', () => {
  it.each([
    [{ url: 'ftp://x' }, '--url is not an http or https address ("ftp://x").'],
    [{ chain: 'a b' }, '--chain is not the short name of a chain ("a b").'],
    [{ kind: 'token' }, '--kind is not a kind of job ("token").'],
    [{ from: '-1' }, '--from is not a height ("-1").'],
    [{ credentials: 'mine' }, '--credentials is not one of the allowed values ("mine").'],
    [{ url: undefined }, '--url is missing.'],
    [{ addresses: undefined }, '--addresses is missing.'],
  ])('%j are refused', async (options, message) => {
    await expect(init(options)).rejects.toMatchObject({ kind: 'usage', message });
    expect(await readdir(folder)).toEqual([]);
  });

  it('without effect on the kind of job are named', async () => {
    await init({ kind: 'holders' });
    expect(said[0]).toBe('--addresses has no effect on a job of the kind holders.');
  });
});

describe('a terminal', () => {
  it('keeps lines that are typed ahead, and ends the questions when its input ends', async () => {
    const input = new PassThrough();
    const { ask, close } = terminalQuestions(input, new PassThrough());
    input.write('one\ntwo\n');
    expect(await ask('first? ')).toBe('one');
    expect(await ask('second? ')).toBe('two');
    const third = ask('third? ');
    input.end();
    await expect(third).rejects.toMatchObject({ kind: 'interrupted' });
    await expect(ask('fourth? ')).rejects.toMatchObject({ kind: 'interrupted' });
    close();
  });
});

describe('questions', () => {
  it('are asked for options that were not given, again after an answer that is not valid', async () => {
    const answers = ['', '', 'x', URL, '', '', '', '', 'none', ONE, '5', ''];
    const request: string[] = [];
    const notes: string[] = [];
    const ask = async (question: string): Promise<string> => {
      request.push(question);
      return answers.shift() ?? 'too many questions';
    };
    const choice = await chosen({ chain: 'MINE' }, ask, (text) => void notes.push(text));
    expect(choice.kind).toBe('address-activity');
    expect(choice.values).toMatchObject({
      url: URL,
      chain: 'MINE',
      'zone-chain': 'ZONECHAIN',
      credentials: 'none',
      addresses: ONE,
      from: '5',
      'zone-from': '0',
    });
    expect(Object.keys(choice.values)).not.toContain('authentication');
    expect(notes).toEqual([
      'This is not an http or https address. Give the whole address of the service, as in https://explorer.example.',
      'This is not an http or https address. Give the whole address of the service, as in https://explorer.example.',
    ]);
    expect(request.at(-1)).toBe('First block of the zone chain [0]: ');
    expect(answers).toEqual([]);
  });
});
