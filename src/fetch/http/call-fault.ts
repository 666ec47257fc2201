import { Fault } from '../../fault.ts';
import { TransportFailure } from '../transport/failures.ts';
import { type CallFailure, isOfRequest, LIMIT_REACHED } from './call-failure.ts';
import { WAIT_TOO_LONG } from './patience.ts';

/** The fault of a run that cannot continue after a failed call. */
export function faultOfCall(failure: CallFailure): Fault {
  if (failure.code === WAIT_TOO_LONG) {
    return new Fault('throttled', `The service is throttling: ${failure.detail}.`, {
      advice:
        'Finished slices are committed: run again after that time to continue, or accept longer ' +
        'waits with --max-wait DURATION.',
      cause: failure,
    });
  }
  if (failure.code === LIMIT_REACHED) {
    return new Fault('limited', `The run ended before its plan was done: ${failure.detail}.`, {
      advice:
        'Finished slices are committed, and the next run continues. If every run ends like this, ' +
        'raise the limit.',
      cause: failure,
    });
  }
  const { cause } = failure;
  if (cause instanceof TransportFailure && cause.advice !== undefined) {
    const [kind, problem] =
      cause.kind === 'unsendable'
        ? (['configuration', 'A request cannot be sent'] as const)
        : (['unreachable', 'The service cannot be reached'] as const);
    const advice = `${cause.advice} Committed slices are not fetched twice.`;
    return new Fault(kind, `${problem}: ${failure.message}.`, { advice, cause: failure });
  }
  const isRefusal = failure.outcome === 'auth' || failure.outcome === 'stop';
  if (isRefusal || isOfRequest(failure)) return refusal(failure);
  return unreachable(failure);
}

function refusal(failure: CallFailure): Fault {
  if (failure.outcome === 'auth') {
    return new Fault('authentication', `The service refused the credentials: ${failure.message}.`, {
      advice:
        'Check WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE (or the file or ' +
        'command that source.credentials names; none sends no signature), and that the clock of ' +
        'this machine is right.',
      cause: failure,
    });
  }
  return new Fault('refused', `The service refused the request: ${failure.message}.`, {
    advice: 'Check source in the pipeline. Committed slices stay, and the next run continues.',
    cause: failure,
  });
}

/** Codes of failures where an answer arrived that the interface does not document. */
const UNDOCUMENTED: readonly string[] = ['wrong-shape', 'not-json'];

function unreachable(failure: CallFailure): Fault {
  if (UNDOCUMENTED.includes(failure.code)) {
    const message = `The answer of the service does not match the interface: ${failure.message}.`;
    return new Fault('unreachable', message, {
      advice:
        'Check that source.url (or --source-url) leads to the service itself and not to a proxy ' +
        'in front of it, and ask its operator. Committed slices are not fetched twice.',
      cause: failure,
    });
  }
  return new Fault('unreachable', `The service does not answer: ${failure.message}.`, {
    advice:
      'Check that it runs and that source.url (or --source-url) is right, also http:// or ' +
      'https://, then run again. ' +
      'Committed slices are not fetched twice.',
    cause: failure,
  });
}
