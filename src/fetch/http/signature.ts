import { createHmac } from 'node:crypto';

/** A secret that is never shown: printing, inspecting and serialising give `[redacted]`. */
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

/** The credentials of a deployment without signatures: requests carry the key alone. */
export interface ApiKey {
  readonly accessKey: Secret;
}

/** The credentials of a deployment that wants signatures. */
export interface SigningKey extends ApiKey {
  readonly secretKey: Secret;
  readonly passphrase: Secret;
}

/** The credentials of one API key. */
export type Credentials = ApiKey | SigningKey;

/** Whether requests with these credentials are signed. */
export function isSigning(credentials: Credentials): credentials is SigningKey {
  return 'secretKey' in credentials;
}

/** The signed parts of a request, byte for byte as they are sent. */
export interface SignedParts {
  /** ISO 8601 UTC with milliseconds. */
  readonly timestamp: string;
  readonly method: string;
  /** Path and query as in the request line. */
  readonly target: string;
  /** '' for requests without a body. */
  readonly body: string;
}

/**
 * base64(HMAC-SHA256(secret, timestamp + METHOD + target + body)). The interface names the header
 * but not its construction; this is the usual one for such headers.
 */
export function signature(secretKey: Secret, parts: SignedParts): string {
  return createHmac('sha256', secretKey.reveal())
    .update(parts.timestamp + parts.method.toUpperCase() + parts.target + parts.body)
    .digest('base64');
}
