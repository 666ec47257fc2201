import { Fault, wordsOf } from '../../fault.ts';
import type { RunFault } from '../queue/job-queue.ts';

/** An error as other processes read it. */
export function faultIn(error: unknown): RunFault {
  if (error instanceof Fault) {
    const { kind, message, where, advice } = error;
    return { kind, message, where, advice };
  }
  return { kind: 'lake', message: wordsOf(error), advice: 'The log of the worker has more.' };
}

/** The fault that another process ended its work with. */
export function concludedFault({ kind, message, where, advice }: RunFault): Fault {
  return new Fault(kind, message, { where, advice });
}
