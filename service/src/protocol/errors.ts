/** The requests that a refusal can answer. */
export type RefusalScope =
  /** Bytes that are not a request; they have no path yet. */
  | 'bytes'
  /** Any request. */
  | 'all'
  /** Requests for an unknown path or method. */
  | 'route'
  /** Operations with signed requests. */
  | 'signed'
  /** Operations with parameters, in the query or in a body. */
  | 'parameters'
  /** Operations that take several keys, or a list of limited length. */
  | 'items'
  /** The lists that give the head of a chain. */
  | 'head'
  /** Lists that end at the record cap, if the settings turn pages beyond it into errors. */
  | 'capped'
  /** Operations with a body. */
  | 'body'
  /** Operations, if keys have limits of their own. */
  | 'limited'
  /** Requests to the administration port. */
  | 'admin'
  /** Submissions for verification. */
  | 'submission'
  /** Requests for the result of a verification. */
  | 'result'
  /** Both of them. */
  | 'verification';

interface RefusalEntry {
  readonly code: string;
  readonly status: number;
  readonly scope: RefusalScope;
  /** The error of the client, as a sentence. */
  readonly meaning: string;
}

/**
 * All refusals of the service in one table. The interface shows neither codes nor statuses. These
 * are the ones of real deployments, and unused ones of the same families where none is known.
 */
export const REFUSALS = {
  'missing-parameter': {
    code: '50014',
    status: 400,
    scope: 'parameters',
    meaning: 'A required parameter is missing or empty.',
  },
  'bad-parameter': {
    code: '50036',
    status: 400,
    scope: 'parameters',
    meaning: 'A parameter is malformed, given twice, not a listed value or beyond a limit.',
  },
  'wrong-content-type': {
    code: '50006',
    status: 400,
    scope: 'body',
    meaning: 'The content type of a body is not application/json.',
  },
  'malformed-body': {
    code: '50002',
    status: 400,
    scope: 'all',
    meaning: 'The body is not UTF-8, or the submission is not a JSON object.',
  },
  'too-many-items': {
    code: '50025',
    status: 200,
    scope: 'items',
    meaning: 'The request names more keys or libraries than allowed; the HTTP status is 200.',
  },
  'beyond-cap': {
    code: '50037',
    status: 400,
    scope: 'capped',
    meaning: 'The page lies beyond the record cap, in a deployment that reports this.',
  },
  'body-too-large': {
    code: '50038',
    status: 413,
    scope: 'all',
    meaning: 'The body has more than 1 MiB; the connection is closed.',
  },
  'wrong-host': {
    code: '50039',
    status: 421,
    scope: 'all',
    meaning: 'The Host header names another service, or not the port of the administration.',
  },
  'wrong-method': {
    code: '50041',
    status: 405,
    scope: 'route',
    meaning: 'The path takes another method; the Allow header names it.',
  },
  'unknown-path': { code: '50042', status: 404, scope: 'route', meaning: 'There is no such path.' },
  'malformed-request': {
    code: '50000',
    status: 400,
    scope: 'bytes',
    meaning: 'The bytes are not an HTTP request, or it does not have exactly one Host header.',
  },
  'request-timeout': {
    code: '50004',
    status: 408,
    scope: 'bytes',
    meaning: 'The headers did not arrive within 5 s, or the request not within 10 s.',
  },
  'headers-too-large': {
    code: '50024',
    status: 431,
    scope: 'bytes',
    meaning: 'The request line and the headers have more than 8 KiB.',
  },
  'wrong-expectation': {
    code: '50016',
    status: 417,
    scope: 'bytes',
    meaning: 'The Expect header asks for something other than 100-continue.',
  },
  'wrong-handshake': {
    code: '50050',
    status: 400,
    scope: 'bytes',
    meaning: 'The stream request is not a WebSocket handshake; the message says why.',
  },
  internal: {
    code: '50026',
    status: 500,
    scope: 'all',
    meaning: 'The service itself failed; its log says why.',
  },
  unavailable: {
    code: '50001',
    status: 503,
    scope: 'route',
    meaning: 'The source of the records cannot be read, or the service is shutting down.',
  },
  'key-missing': {
    code: '50103',
    status: 401,
    scope: 'signed',
    meaning: 'The header ACCESS-KEY is missing.',
  },
  'passphrase-missing': {
    code: '50104',
    status: 401,
    scope: 'signed',
    meaning: 'The header ACCESS-PASSPHRASE is missing.',
  },
  'signature-missing': {
    code: '50106',
    status: 401,
    scope: 'signed',
    meaning: 'The header ACCESS-SIGN is missing.',
  },
  'timestamp-missing': {
    code: '50107',
    status: 401,
    scope: 'signed',
    meaning: 'The header ACCESS-TIMESTAMP is missing.',
  },
  'timestamp-expired': {
    code: '50102',
    status: 401,
    scope: 'signed',
    meaning: 'The timestamp is more than 30 s off.',
  },
  'wrong-passphrase': {
    code: '50105',
    status: 401,
    scope: 'signed',
    meaning: 'The passphrase does not belong to the key.',
  },
  'unknown-key': {
    code: '50111',
    status: 401,
    scope: 'signed',
    meaning: 'The key is not known.',
  },
  'malformed-timestamp': {
    code: '50112',
    status: 401,
    scope: 'signed',
    meaning: 'The timestamp is not ISO 8601 UTC with milliseconds.',
  },
  'wrong-signature': {
    code: '50113',
    status: 401,
    scope: 'signed',
    meaning: 'The signature does not match the request, or was first used a second or more before.',
  },
  'too-many-requests': {
    code: '50011',
    status: 429,
    scope: 'limited',
    meaning: 'The requests exceed the limit of the key, or a limit in a plan of faults.',
  },
  'invalid-faults': {
    code: '50044',
    status: 400,
    scope: 'admin',
    meaning: 'A plan of faults, or a number of blocks, is not valid; the message says why.',
  },
  'cannot-move': {
    code: '50045',
    status: 409,
    scope: 'admin',
    meaning: 'The source cannot grow, be reorganised or delay records as the request demands.',
  },
  'no-contract': {
    code: '50046',
    status: 404,
    scope: 'submission',
    meaning: 'No contract with known code is deployed at the address.',
  },
  'no-blocks': {
    code: '50051',
    status: 404,
    scope: 'head',
    meaning: 'The served data has records of the chain but none of its blocks.',
  },
  'not-exported': {
    code: '50052',
    status: 404,
    scope: 'parameters',
    meaning: 'The served data is a part of the chain and lacks some of the requested records.',
  },
  'too-many-jobs': {
    code: '50013',
    status: 503,
    scope: 'submission',
    meaning: 'Too many contracts wait for verification; Retry-After says when to try again.',
  },
  'code-unknown': {
    code: '50047',
    status: 503,
    scope: 'submission',
    meaning: 'The node that provides the deployed code is not available now.',
  },
  'unknown-job': {
    code: '50048',
    status: 404,
    scope: 'result',
    meaning: 'No job has this GUID, or its result is no longer kept.',
  },
  'cannot-verify': {
    code: '50049',
    status: 501,
    scope: 'verification',
    meaning: 'Nothing can be verified here; the message says what is missing.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>;

export type RefusalKind = keyof typeof REFUSALS;

/** Why a request gets no records. Its message is for the client and never repeats the request. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** Headers besides those of every refusal. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: RefusalKind, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.kind = kind;
    this.headers = headers;
  }
}
