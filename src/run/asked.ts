import { Fault } from '../fault.ts';
import { CallFailure } from '../fetch/http/call-failure.ts';
import { faultOfCall } from '../fetch/http/call-fault.ts';

/** The answer to a required request; a failed call or an interruption becomes a Fault. */
export async function asked<T>(
  { softStop }: { readonly softStop?: AbortSignal },
  answer: Promise<T>,
): Promise<T> {
  return answer.catch((error: unknown) => {
    if (softStop?.aborted === true) throw interrupted();
    throw error instanceof CallFailure ? faultOfCall(error) : error;
  });
}

function interrupted(): Fault {
  return new Fault('interrupted', 'Interrupted.', {
    advice: 'Run again to continue.',
  });
}
