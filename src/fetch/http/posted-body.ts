import { TransportFailure, type TransportFailureKind } from '../transport/failures.ts';

/** Failures before the first byte of a request was sent. */
const UNSENT: readonly TransportFailureKind[] = [
  'refused',
  'unknown-host',
  'certificate',
  'proxy-login',
  'unsendable',
];

/**
 * The JSON body of a POST. A body that changes things on the other side is not sent again once it
 * may have arrived: after a cut connection, a time limit, or an answer that states no decision.
 */
export class PostedBody {
  readonly text: string;
  readonly #isRepeatable: boolean;
  #mayHaveArrived = false;

  constructor(content: unknown, { isRepeatable }: { readonly isRepeatable: boolean }) {
    this.text = JSON.stringify(content);
    this.#isRepeatable = isRepeatable;
  }

  /** Whether the service may have acted upon it without a reply that says so. */
  get mayHaveArrived(): boolean {
    return this.#mayHaveArrived && !this.#isRepeatable;
  }

  sent(): void {
    this.#mayHaveArrived = true;
  }

  /** Takes the outcome of an answer: only a transient failure leaves the decision open. */
  answered(outcome: string): void {
    if (outcome !== 'transient') this.#mayHaveArrived = false;
  }

  /** Takes the error of an attempt without an answer. */
  failed(error: unknown): void {
    if (error instanceof TransportFailure && UNSENT.includes(error.kind)) {
      this.#mayHaveArrived = false;
    }
  }
}

/** The failure of a call whose body may have arrived: no attempt may follow by itself. */
export class UncertainFailure extends Error {
  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
    this.name = 'UncertainFailure';
  }
}
