import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { type Effects, later } from '../../../effects.ts';
import { isCode } from '../../../land/storage/disk.ts';
import { alertDocument, type Deliver, DeliveryFailure } from './receiver.ts';

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

async function run(
  program: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  input: string,
  signal: AbortSignal,
): Promise<void> {
  const stdio = ['pipe', 'ignore', 'ignore'] as const;
  const child = spawn(program, args, { env, stdio: [...stdio], signal, killSignal: 'SIGKILL' });
  // A program may end without reading its input.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input);
  const [code, killedBy] = await once(child, 'close').catch((error: unknown) => {
    const isMissing = isCode(error, 'ENOENT');
    const message = isMissing ? 'there is no such program' : 'the command could not be started';
    throw new DeliveryFailure(message, { isRetryable: !isMissing }, error);
  });
  if (code === 0) return;
  const end = code === null ? `was ended by ${killedBy}` : `ended with exit code ${code}`;
  throw new DeliveryFailure(`the command ${end}`, { isRetryable: true });
}
