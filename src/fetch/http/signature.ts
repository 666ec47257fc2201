import { createHmac } from 'node:crypto';

/** A secret that shows itself nowhere: printing, inspecting and serialising give `[redacted]`. */
export class Secret {
  readonly #value: string;

  constructor(value: string) {
    this.#value = value;
  }

  reveal(): string {
    return this.#value;
  }

  toString(): string {
    return '[redacted]';
  }

  toJSON(): string {
    return '[redacted]';
  }

  [Symbol.for('nodejs.util.inspect.custom')](): string {
    return '[redacted]';
  }
}

/** What one key holder signs with. */
export interface Credentials {
  readonly accessKey: Secret;
  readonly secretKey: Secret;
  readonly passphrase: Secret;
}

/** The exact bytes of a request, as they are sent. */
export interface SignedParts {
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly method: string;
  /** Path with its query, as it stands in the request line. */
  readonly target: string;
  /** '' for requests without one. */
  readonly body: string;
}

/**
 * base64(HMAC-SHA256(secret, timestamp + METHOD + target + body)). The interface names the header
 * but not the construction; this is the recipe in common use for such headers.
 */
export function signature(secretKey: Secret, parts: SignedParts): string {
  return createHmac('sha256', secretKey.reveal())
    .update(parts.timestamp + parts.method.toUpperCase() + parts.target + parts.body)
    .digest('base64');
}
