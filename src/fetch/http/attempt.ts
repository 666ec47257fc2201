import type { Refused } from '../limits/admission.ts';
import type { RefusedReply, Reply } from './envelope.ts';
import { TransportFailure } from './exchange.ts';

/** The outcome of one attempt to send a request. */
export type Attempt =
  | { readonly outcome: 'reply'; readonly reply: Reply }
  /** The next attempt is signed with another time or another key. */
  | { readonly outcome: 'signature' }
  /** Not sent. */
  | Refused
  | (RefusedReply & { readonly cause?: unknown });

/** The outcome of a request without an answer. */
export function unanswered(error: unknown): Attempt {
  const kind = error instanceof TransportFailure ? error.kind : 'network';
  const isFinal = kind === 'redirect' || kind === 'too-large';
  const message = error instanceof TransportFailure ? error.message : 'the connection failed';
  return { outcome: isFinal ? 'permanent' : 'transient', code: kind, message, cause: error };
}
