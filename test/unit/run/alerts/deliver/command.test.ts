import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { command } from '../../../../../src/run/alerts/deliver/command.ts';
import { ALERT } from '../../../../fixtures/alert-rules.ts';
import { virtualClock } from '../../../../fixtures/virtual-clock.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

/** Goal: a program reads the alert as JSON, in the environment that it is given, without a shell. */

let folder = '';
beforeAll(async () => {
  folder = await freshFolder();
});

/** A command that runs a script of Node. */
const node = (script: string, ...args: string[]): string[] => [
  process.execPath,
  '-e',
  script,
  ...args,
];

test('the alert is on stdin, and arguments are passed as they are', async () => {
  const file = join(folder, 'alert.json');
  const script = `const fs = require('node:fs');
    const all = { input: fs.readFileSync(0, 'utf8'), args: process.argv.slice(1), env: process.env };
    fs.writeFileSync(${JSON.stringify(file)}, JSON.stringify(all));`;
  const run = command(node(script, '$HOME; ls'), { ONLY: 'this' }, virtualClock());
  await run(ALERT);
  const seen = JSON.parse(await readFile(file, 'utf8'));
  expect(JSON.parse(seen.input)).toMatchObject({ id: 'alert_1', text: 'nightly: run 1 failed.' });
  expect(seen.args).toEqual(['$HOME; ls']);
  expect(seen.env['ONLY']).toBe('this');
  expect(Object.keys(seen.env)).not.toContain('PATH');
});

test.each([
  ['an exit code', node('process.exit(3)'), 'the command ended with exit code 3', true],
  ['a missing program', ['/no/such/program'], 'there is no such program', false],
] as const)('%s is a failure', async (_name, line, message, isRetryable) => {
  const failed = command(line, {}, virtualClock())(ALERT);
  await expect(failed).rejects.toMatchObject({ message, isRetryable });
});

test('a program that does not end is killed after 30 s', async () => {
  const clock = virtualClock();
  const run = command(node('setInterval(() => {}, 1000)'), {}, clock);
  const failed = run(ALERT).catch((error: unknown) => error);
  expect(String(await clock.run(failed))).toContain('the command did not end in 30 s');
});
