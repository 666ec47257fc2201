import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { Fault } from '../../fault.ts';
import type { SecretCommand } from '../../pipeline/secret-command.ts';

/** More output than any credentials need. */
const MOST_BYTES = 64 * 1024;
const MAX_TEXT = 60;

/**
 * The standard output of a program that prints secrets. Its output is never shown or logged, nor
 * are its messages, which may repeat secrets. `env` is its whole environment.
 */
export async function commandOutput(
  task: SecretCommand,
  folder: string,
  env: NodeJS.ProcessEnv,
  where: string,
): Promise<string> {
  const [program = '', ...args] = task.isShell ? ['/bin/sh', '-c', ...task.command] : task.command;
  const name = nameOf(task);
  const fault = (problem: string, advice: string): Fault =>
    new Fault('configuration', `The command of the credentials ${problem}.`, { where, advice });
  const stdio = ['ignore', 'pipe', 'ignore'] as const;
  // A group of its own, so that the programs that it starts end with it.
  const child = spawn(program, args, { cwd: folder, env, stdio: [...stdio], detached: true });
  const end = (): void => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  };
  const timer = setTimeout(end, task.timeoutMs);
  const parts: Buffer[] = [];
  let bytes = 0;
  child.stdout.on('data', (part: Buffer) => {
    bytes += part.length;
    if (bytes <= MOST_BYTES) parts.push(part);
    else if (child.exitCode === null && child.signalCode === null) end();
  });
  const [code, killedBy] = await once(child, 'close')
    .catch(() => {
      const advice = 'Name a program of the PATH of this process, or give its whole path.';
      throw fault(`cannot be started: ${name}`, advice);
    })
    .finally(() => clearTimeout(timer));
  if (bytes > MOST_BYTES) {
    throw fault('prints more than 64 KB', 'Let it print the credentials alone.');
  }
  if (killedBy !== null) {
    const seconds = Math.round(task.timeoutMs / 1000);
    const advice = 'Run it by hand to see what it waits for, or raise credentials.timeout.';
    throw fault(`did not end in ${seconds} s: ${name}`, advice);
  }
  if (code !== 0) {
    const advice =
      'Run it by hand as the user of this process: it may need a login, or a variable.';
    throw fault(`ended with exit code ${code}: ${name}`, advice);
  }
  return Buffer.concat(parts).toString('utf8');
}

/** The program; its arguments may hold secrets. */
function nameOf({ command: [first = ''], isShell }: SecretCommand): string {
  const program = isShell ? (/^\S+/.exec(first.trim())?.[0] ?? '') : first;
  return program.slice(0, MAX_TEXT);
}

/** `NAME=value`, as a file of variables has it, with `export` and quotes or without. */
const VARIABLE = /^\s*(?:export\s+)?(WINDROW_[A-Z_]+)=(?:"([^"]*)"|'([^']*)'|(.*?))\s*$/;

/** The variables in lines of the form NAME=value; undefined if there are none. */
export function variablesIn(output: string): Readonly<Record<string, string>> | undefined {
  const variables: Record<string, string> = {};
  for (const line of output.split('\n')) {
    const [, name, double, single, bare] = VARIABLE.exec(line) ?? [];
    if (name !== undefined) variables[name] = double ?? single ?? bare ?? '';
  }
  return Object.keys(variables).length === 0 ? undefined : variables;
}
