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
    const { signal } = overdue;
    const stdio = ['pipe', 'ignore', 'ignore'] as const;
    const child = spawn(program, args, { env, stdio: [...stdio], signal, killSignal: 'SIGKILL' });
    // A program may end without reading its input.
    child.stdin.on('error', () => undefined);
    child.stdin.end(alertDocument(alert));
    const [code, killedBy] = await once(child, 'close')
      .catch((error: unknown) => {
        if (signal.aborted) throw notInTime();
        const isMissing = isCode(error, 'ENOENT');
        const message = isMissing ? 'there is no such program' : 'the command could not be started';
        throw new DeliveryFailure(message, { isRetryable: !isMissing }, error);
      })
      .finally(cancel);
    if (code === 0) return;
    const end = code === null ? `was ended by ${killedBy}` : `ended with exit code ${code}`;
    throw signal.aborted ? notInTime() : new DeliveryFailure(`the command ${end}`, RETRYABLE);
  };
}

const RETRYABLE = { isRetryable: true };

function notInTime(): DeliveryFailure {
  return new DeliveryFailure('the command did not end in 30 s', RETRYABLE);
}
