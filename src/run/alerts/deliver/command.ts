import { spawn } from 'node:child_process';
import { type Effects, later } from '../../../effects.ts';
import { alertDocument } from './document.ts';
import { type Deliver, DeliveryFailure } from './receiver.ts';

const TIMEOUT_MS = 30_000;

/**
 * Runs a program that reads the alert as JSON on stdin. Its output is discarded: it may repeat
 * secrets. `env` is its whole environment.
 */
export function command(
  [program = '', ...args]: readonly string[],
  env: NodeJS.ProcessEnv,
  effects: Effects,
): Deliver {
  return async (alert) => {
    const overdue = new AbortController();
    const cancel = later(effects, TIMEOUT_MS, () => overdue.abort());
    try {
      await run(program, args, env, alertDocument(alert), overdue.signal);
    } catch (error) {
      if (!overdue.signal.aborted) throw error;
      throw new DeliveryFailure('the command did not end in 30 s', { isRetryable: true });
    } finally {
      cancel();
    }
  };
}

function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string,
  signal: AbortSignal,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      env,
      stdio: ['pipe', 'ignore', 'ignore'],
      signal,
      killSignal: 'SIGKILL',
    });
    child.once('error', (error) => {
      const isMissing = 'code' in error && error.code === 'ENOENT';
      const message = isMissing ? 'there is no such program' : 'the command could not be started';
      reject(new DeliveryFailure(message, { isRetryable: !isMissing }, error));
    });
    // A program may end without reading its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
    child.once('close', (code, killedBy) => {
      if (code === 0) resolve();
      else {
        const end = code === null ? `was ended by ${killedBy}` : `ended with exit code ${code}`;
        reject(new DeliveryFailure(`the command ${end}`, { isRetryable: true }));
      }
    });
  });
}
