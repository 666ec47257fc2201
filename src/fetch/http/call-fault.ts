import { Fault } from '../../fault.ts';
import type { CallFailure } from './call-failure.ts';
import { WAIT_TOO_LONG } from './patience.ts';

/** What a failed call means when nothing can go on without it. */
export function faultOfCall(failure: CallFailure): Fault {
  if (failure.code === WAIT_TOO_LONG) {
    return new Fault('throttled', `The service does not answer for now: ${failure.detail}.`, {
      advice:
        'What was walked is committed: run again after that time to go on, or accept longer ' +
        'waits with --max-wait DURATION.',
      cause: failure,
    });
  }
  const isRefusal = failure.outcome === 'auth' || failure.outcome === 'stop';
  if (isRefusal || failure.outcome === 'permanent') return refusal(failure);
  return unreachable(failure);
}

function refusal(failure: CallFailure): Fault {
  if (failure.outcome === 'auth') {
    return new Fault('authentication', `The service refused the credentials: ${failure.message}.`, {
      advice:
        'Check WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE (or the file that ' +
        'source.credentials names), and that the clock of this machine is right.',
      cause: failure,
    });
  }
  return new Fault('refused', `The service refused the request: ${failure.message}.`, {
    advice: 'Check source in the pipeline; what was committed stays, and the next run goes on.',
    cause: failure,
  });
}

/** Failures whose answer came and is no reply of the interface. */
const UNDOCUMENTED: readonly string[] = ['wrong-shape', 'not-json'];

function unreachable(failure: CallFailure): Fault {
  if (UNDOCUMENTED.includes(failure.code)) {
    const what = `The service answers something else than is documented: ${failure.message}.`;
    return new Fault('unreachable', what, {
      advice:
        'Check that source.url (or --source-url) leads to the service itself and to nothing ' +
        'before it, and ask those who run it; what was committed is not fetched twice.',
      cause: failure,
    });
  }
  return new Fault('unreachable', `The service does not answer: ${failure.message}.`, {
    advice:
      'Check that it runs and that source.url (or --source-url) is right, then run again: ' +
      'what was committed is not fetched twice.',
    cause: failure,
  });
}
