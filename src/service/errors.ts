/**
 * What the service refuses, in one table. The interface shows neither codes nor statuses; these are
 * the ones met in the field, and free ones of the same families where none was met.
 */
export const REFUSALS = {
  'missing-parameter': { code: '50014', status: 400 },
  'bad-parameter': { code: '50036', status: 400 },
  /** Of a submission. */
  'wrong-content-type': { code: '50006', status: 400 },
  'malformed-body': { code: '50002', status: 400 },
  'too-many-items': { code: '50025', status: 200 },
  /** A page beyond the record cap, where the settings ask for an error. */
  'beyond-cap': { code: '50037', status: 400 },
  'body-too-large': { code: '50038', status: 413 },
  'wrong-host': { code: '50039', status: 421 },
  'wrong-method': { code: '50041', status: 405 },
  'unknown-path': { code: '50042', status: 404 },
  /** The service itself failed; its log says why. */
  internal: { code: '50026', status: 500 },
  'key-missing': { code: '50103', status: 401 },
  'passphrase-missing': { code: '50104', status: 401 },
  'signature-missing': { code: '50106', status: 401 },
  'timestamp-missing': { code: '50107', status: 401 },
  'timestamp-expired': { code: '50102', status: 401 },
  'wrong-passphrase': { code: '50105', status: 401 },
  'unknown-key': { code: '50111', status: 401 },
  'malformed-timestamp': { code: '50112', status: 401 },
  /** Also for a signature that was used before. */
  'wrong-signature': { code: '50113', status: 401 },
} as const;

export type RefusalKind = keyof typeof REFUSALS;

/** Why a request gets no records. Its message is for the client, and never repeats what it sent. */
export class Refusal extends Error {
  readonly kind: RefusalKind;

  constructor(kind: RefusalKind, message: string) {
    super(message);
    this.name = 'Refusal';
    this.kind = kind;
  }
}
