import { Fault } from '../../fault.ts';
import { TransportFailure } from '../transport/failures.ts';
import { type CallFailure, isOfRequest, LIMIT_REACHED } from './call-failure.ts';
import { WAIT_TOO_LONG } from './patience.ts';

/** Codes of failures where an answer arrived that the interface does not document. */
const UNDOCUMENTED: readonly string[] = ['wrong-shape', 'not-json'];

/** The fault of a run that cannot continue after a failed call. */
export function faultOfCall(failure: CallFailure): Fault {
  const [kind, problem, advice] = wordsOf(failure);
  return new Fault(kind, `${problem}.`, { advice, cause: failure });
}

function wordsOf(failure: CallFailure): [kind: Fault['kind'], problem: string, advice: string] {
  const { code, detail, message, outcome, cause } = failure;
  if (code === WAIT_TOO_LONG) {
    const advice =
      'Finished slices are committed: run again after that time to continue, or accept longer ' +
      'waits with --max-wait DURATION.';
    return ['throttled', `The service is throttling: ${detail}`, advice];
  }
  if (code === LIMIT_REACHED) {
    const advice =
      'Finished slices are committed, and the next run continues. If every run ends like this, ' +
      'raise the limit.';
    return ['limited', `The run ended before its plan was done: ${detail}`, advice];
  }
  if (cause instanceof TransportFailure && cause.advice !== undefined) {
    const advice = `${cause.advice} Committed slices are not fetched twice.`;
    return cause.kind === 'unsendable'
      ? ['configuration', `A request cannot be sent: ${message}`, advice]
      : ['unreachable', `The service cannot be reached: ${message}`, advice];
  }
  if (outcome === 'auth') {
    const advice =
      'Check WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE (or the file or ' +
      'command that source.credentials names; none sends no signature), and that the clock of ' +
      'this machine is right.';
    return ['authentication', `The service refused the credentials: ${message}`, advice];
  }
  if (outcome === 'stop' || isOfRequest(failure)) {
    const advice =
      'Check source in the pipeline. Committed slices stay, and the next run continues.';
    return ['refused', `The service refused the request: ${message}`, advice];
  }
  if (UNDOCUMENTED.includes(code)) {
    const advice =
      'Check that source.url (or --source-url) leads to the service itself and not to a proxy ' +
      'in front of it, and ask its operator. Committed slices are not fetched twice.';
    const problem = `The answer of the service does not match the interface: ${message}`;
    return ['unreachable', problem, advice];
  }
  const advice =
    'Check that it runs and that source.url (or --source-url) is right, also http:// or ' +
    'https://, then run again. Committed slices are not fetched twice.';
  return ['unreachable', `The service does not answer: ${message}`, advice];
}
