import { chmod, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Fault } from '../../../../src/fault.ts';
import { isSigning } from '../../../../src/fetch/http/signature.ts';
import { parsePipeline } from '../../../../src/pipeline/read-pipeline.ts';
import { credentialsFrom } from '../../../../src/run/job/credentials.ts';
import { SMALL } from '../../../fixtures/pipeline-small.ts';
import { freshFolder } from '../../../fixtures/when-over.ts';

const CANARY = 'canary-6a1f';
const KEYS = { accessKey: `${CANARY}-a`, secretKey: `${CANARY}-s`, passphrase: `${CANARY}-p` };

let folder = '';
beforeAll(async () => {
  folder = await freshFolder();
});

/** A program in the folder of the pipeline that runs these lines. */
async function program(name: string, ...lines: string[]): Promise<string> {
  const path = join(folder, name);
  await writeFile(path, ['#!/bin/sh', ...lines, ''].join('\n'));
  await chmod(path, 0o755);
  return path;
}

function results(credentials: string, authentication = 'signature', env: NodeJS.ProcessEnv = {}) {
  const source =
    `source: { url: "http://127.0.0.1", chain: MAINCHAIN, credentials: ${credentials}, ` +
    `authentication: ${authentication} }`;
  const text = SMALL.toSpliced(2, 1, source).join('\n');
  const { source: settings } = parsePipeline({ text, file: 'p.yaml' });
  const input = { PATH: process.env['PATH'], ...env };
  return credentialsFrom(settings, 'p.yaml', (path) => join(folder, path), input);
}

async function shown(...args: Parameters<typeof results>): Promise<object> {
  const credentials = await results(...args);
  if (credentials === undefined) return {};
  const { accessKey } = credentials;
  if (!isSigning(credentials)) return { accessKey: accessKey.reveal() };
  const { secretKey, passphrase } = credentials;
  return {
    accessKey: accessKey.reveal(),
    secretKey: secretKey.reveal(),
    passphrase: passphrase.reveal(),
  };
}

const failure = (...args: Parameters<typeof results>): Promise<Fault> =>
  results(...args).then(
    () => Promise.reject(new Error('did not fail')),
    (error) => error,
  );

describe('credentials from a command', () => {
  it('are JSON', async () => {
    const path = await program('json', `echo '${JSON.stringify(KEYS)}'`);
    expect(await shown(`{ command: [${path}] }`)).toEqual(KEYS);
  });

  it('are lines of variables, with quotes or without, among others', async () => {
    const path = await program(
      'lines',
      `echo '# from the manager'`,
      `echo 'export WINDROW_ACCESS_KEY="${KEYS.accessKey}"'`,
      `echo "WINDROW_SECRET_KEY='${KEYS.secretKey}'"`,
      `echo 'WINDROW_PASSPHRASE=${KEYS.passphrase}'`,
      `echo 'OTHER=1'`,
    );
    expect(await shown(`{ command: [${path}] }`)).toEqual(KEYS);
  });

  it('are one key where nothing is signed', async () => {
    const path = await program('one', `echo '{"accessKey": "${KEYS.accessKey}"}'`);
    expect(await shown(`{ command: ${path} }`, 'key')).toEqual({ accessKey: KEYS.accessKey });
  });

  it('come from words without a shell, in the folder of the pipeline', async () => {
    const line = `[ "$1" = 'two words' ] && [ "$2" = '$HOME' ] && echo '${JSON.stringify(KEYS)}'`;
    await program('words', line);
    expect(await shown(`{ command: './words "two words" $HOME' }`)).toEqual(KEYS);
  });

  it('come from a shell where it is asked for', async () => {
    await program('json', `echo '${JSON.stringify(KEYS)}'`);
    const command = "{ command: './json | cat && true', shell: yes }";
    expect(await shown(command)).toEqual(KEYS);
  });

  it('come from a program that gets the environment without the secrets of windrow', async () => {
    const line = `[ "$VAULT" = there ] && [ -z "$WINDROW_SECRET_KEY" ] && echo '${JSON.stringify(KEYS)}'`;
    const path = await program('environment', line);
    const env = { VAULT: 'there', WINDROW_SECRET_KEY: 'x' };
    expect(await shown(`{ command: [${path}] }`, 'signature', env)).toEqual(KEYS);
  });
});

describe('a command that gives no credentials is a fault with a remedy and without its output', () => {
  const cases: [title: string, lines: string[], more: string, message: string][] = [
    ['a failure', [`echo ${CANARY}; echo ${CANARY} >&2; exit 3`], '', 'ended with exit code 3: '],
    ['a hang', ['exec sleep 60'], ', timeout: 1s', 'did not end in 1 s: '],
    ['another form', [`echo '{"accessKey": "${CANARY}"}'`], '', 'does not print them in a known'],
    ['too much', ['yes canary-6a1f'], '', 'prints more than 64 KB'],
    ['half of them', [`echo WINDROW_ACCESS_KEY=${CANARY}`], '', 'WINDROW_SECRET_KEY and'],
  ];
  it.each(cases)('%s', async (_, lines, more, message) => {
    const path = await program('failing', ...lines);
    const fault = await failure(`{ command: [${path}, ${CANARY}]${more} }`);
    expect(fault.kind).toBe('configuration');
    expect(fault.message).toContain(message);
    expect(fault.advice).not.toBe('');
    expect(`${fault.paragraph()} ${String(fault.cause)}`).not.toContain(CANARY);
  });

  it('a missing program', async () => {
    const fault = await failure(`{ command: [no-such-program, ${CANARY}] }`);
    expect(fault.paragraph()).toContain('cannot be started: no-such-program. Name a program');
    expect(fault.paragraph()).not.toContain(CANARY);
  });
});

describe.each([
  ['a byte order mark', '\ufeff', ''],
  ['a line end', '', '\r\n'],
  ['blanks', ' \t', '\u00a0 '],
])('credentials with %s around each value', (_, before, after) => {
  const padded = Object.fromEntries(
    Object.entries(KEYS).map(([name, value]) => [name, `${before}${value}${after}`]),
  );

  it('are the values themselves, from variables', async () => {
    const env = {
      WINDROW_ACCESS_KEY: padded['accessKey'],
      WINDROW_SECRET_KEY: padded['secretKey'],
      WINDROW_PASSPHRASE: padded['passphrase'],
    };
    expect(await shown('environment', 'signature', env)).toEqual(KEYS);
    expect(await shown('environment', 'key', env)).toEqual({ accessKey: KEYS.accessKey });
  });

  it('are the values themselves, from a file with the same around its text', async () => {
    const text = `${before}${JSON.stringify(padded)}${after}`;
    await writeFile(join(folder, 'padded.json'), text, { mode: 0o600 });
    expect(await shown('{ file: padded.json }')).toEqual(KEYS);
    expect(await shown('{ file: padded.json }', 'key')).toEqual({ accessKey: KEYS.accessKey });
  });
});

it.each([
  ['secretKey', `${CANARY}\u200b`, 'has characters that cannot be sent'],
  ['passphrase', `'${CANARY}'`, 'has quotes around it'],
  ['secretKey', `"${CANARY}"`, 'has quotes around it'],
])('the variable of the %s is named where its value is unusual', async (name, value, message) => {
  const values = { ...KEYS, [name]: value };
  const env = {
    WINDROW_ACCESS_KEY: values.accessKey,
    WINDROW_SECRET_KEY: values.secretKey,
    WINDROW_PASSPHRASE: values.passphrase,
  };
  const fault = await failure('environment', 'signature', env);
  const variable = name === 'secretKey' ? 'WINDROW_SECRET_KEY' : 'WINDROW_PASSPHRASE';
  expect(fault).toMatchObject({ kind: 'configuration' });
  expect(fault.message).toBe(`The value of ${variable} ${message}.`);
  expect(`${fault.message} ${fault.advice}`).not.toContain(CANARY);
});
