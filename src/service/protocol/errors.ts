/** Which requests a refusal can be the answer to. */
export type RefusalScope =
  /** Bytes that are no request; they have no path yet. */
  | 'bytes'
  /** Any request. */
  | 'all'
  /** Requests for a path or a method that is not there. */
  | 'route'
  /** Operations whose requests are signed. */
  | 'signed'
  /** Operations with parameters, in the query or in a body. */
  | 'parameters'
  /** Operations that take several keys, or a list of limited length. */
  | 'items'
  /** The lists that tell the head of a chain. */
  | 'head'
  /** Lists that end at the record cap, where the settings say so. */
  | 'capped'
  /** Operations with a body. */
  | 'body'
  /** Operations, where keys have limits of their own. */
  | 'limited'
  /** Requests to the administration port. */
  | 'admin'
  /** Submissions for verification. */
  | 'handed-in'
  /** Requests for the result of a verification. */
  | 'outcome'
  /** Both of them. */
  | 'verifying';

interface RefusalEntry {
  readonly code: string;
  readonly status: number;
  readonly reach: RefusalScope;
  /** What the client did, as a sentence. */
  readonly meaning: string;
}

/**
 * What the service refuses, in one table. The interface shows neither codes nor statuses; these are
 * the ones met in the field, and free ones of the same families where none was met.
 */
export const REFUSALS = {
  'missing-parameter': {
    code: '50014',
    status: 400,
    reach: 'parameters',
    meaning: 'A required parameter is missing or empty.',
  },
  'bad-parameter': {
    code: '50036',
    status: 400,
    reach: 'parameters',
    meaning: 'A parameter is malformed, given twice, not a listed value or beyond a limit.',
  },
  'wrong-content-type': {
    code: '50006',
    status: 400,
    reach: 'body',
    meaning: 'The content type of a body is not application/json.',
  },
  'malformed-body': {
    code: '50002',
    status: 400,
    reach: 'all',
    meaning: 'The body is not UTF-8, or what is handed in is not a JSON object.',
  },
  'too-many-items': {
    code: '50025',
    status: 200,
    reach: 'items',
    meaning: 'More keys or libraries than one request may name; the HTTP status is 200.',
  },
  'beyond-cap': {
    code: '50037',
    status: 400,
    reach: 'capped',
    meaning: 'The page lies beyond the record cap, and this deployment says so.',
  },
  'body-too-large': {
    code: '50038',
    status: 413,
    reach: 'all',
    meaning: 'The body has more than 1 MiB; the connection is closed.',
  },
  'wrong-host': {
    code: '50039',
    status: 421,
    reach: 'all',
    meaning: 'The Host header names another service, or not the port of the administration.',
  },
  'wrong-method': {
    code: '50041',
    status: 405,
    reach: 'route',
    meaning: 'The path takes another method; the Allow header names it.',
  },
  'unknown-path': { code: '50042', status: 404, reach: 'route', meaning: 'There is no such path.' },
  'malformed-request': {
    code: '50000',
    status: 400,
    reach: 'bytes',
    meaning: 'The bytes are no HTTP request, or it has not exactly one Host header.',
  },
  'request-timeout': {
    code: '50004',
    status: 408,
    reach: 'bytes',
    meaning: 'The headers did not come within 5 s, or the request not within 10 s.',
  },
  'headers-too-large': {
    code: '50024',
    status: 431,
    reach: 'bytes',
    meaning: 'The request line and the headers have more than 8 KiB.',
  },
  'wrong-expectation': {
    code: '50016',
    status: 417,
    reach: 'bytes',
    meaning: 'The Expect header asks for something other than 100-continue.',
  },
  'wrong-handshake': {
    code: '50050',
    status: 400,
    reach: 'bytes',
    meaning: 'What asks for the stream is no WebSocket handshake; the message says why.',
  },
  internal: {
    code: '50026',
    status: 500,
    reach: 'all',
    meaning: 'The service itself failed; its log says why.',
  },
  unavailable: {
    code: '50001',
    status: 503,
    reach: 'route',
    meaning: 'The source of the records cannot be read, or the service is shutting down.',
  },
  'key-missing': {
    code: '50103',
    status: 401,
    reach: 'signed',
    meaning: 'The header ACCESS-KEY is missing.',
  },
  'passphrase-missing': {
    code: '50104',
    status: 401,
    reach: 'signed',
    meaning: 'The header ACCESS-PASSPHRASE is missing.',
  },
  'signature-missing': {
    code: '50106',
    status: 401,
    reach: 'signed',
    meaning: 'The header ACCESS-SIGN is missing.',
  },
  'timestamp-missing': {
    code: '50107',
    status: 401,
    reach: 'signed',
    meaning: 'The header ACCESS-TIMESTAMP is missing.',
  },
  'timestamp-expired': {
    code: '50102',
    status: 401,
    reach: 'signed',
    meaning: 'The timestamp is more than 30 s off.',
  },
  'wrong-passphrase': {
    code: '50105',
    status: 401,
    reach: 'signed',
    meaning: 'The passphrase does not belong to the key.',
  },
  'unknown-key': {
    code: '50111',
    status: 401,
    reach: 'signed',
    meaning: 'The key is not known.',
  },
  'malformed-timestamp': {
    code: '50112',
    status: 401,
    reach: 'signed',
    meaning: 'The timestamp is not ISO 8601 UTC with milliseconds.',
  },
  'wrong-signature': {
    code: '50113',
    status: 401,
    reach: 'signed',
    meaning: 'The signature does not match the request, or was used a second or more before.',
  },
  'too-many-requests': {
    code: '50011',
    status: 429,
    reach: 'limited',
    meaning: 'More requests than the key may send, or than a plan of faults grants.',
  },
  'invalid-faults': {
    code: '50044',
    status: 400,
    reach: 'admin',
    meaning: 'A plan of faults, or a number of blocks, is not valid; the message says what is.',
  },
  'cannot-move': {
    code: '50045',
    status: 409,
    reach: 'admin',
    meaning: 'The source cannot grow, be reorganised or delay records as the request demands.',
  },
  'other-compiler': {
    code: '50015',
    status: 400,
    reach: 'handed-in',
    meaning: 'The source is for a compiler that is not here; the message names the one that is.',
  },
  'no-contract': {
    code: '50046',
    status: 404,
    reach: 'handed-in',
    meaning: 'No contract whose code is known is deployed at the address.',
  },
  'no-blocks': {
    code: '50051',
    status: 404,
    reach: 'head',
    meaning: 'What is served has records of the chain and none of its blocks.',
  },
  'not-held': {
    code: '50052',
    status: 404,
    reach: 'parameters',
    meaning: 'What is served is a part of the chain, and not all that is asked for was taken in.',
  },
  'too-many-jobs': {
    code: '50013',
    status: 503,
    reach: 'handed-in',
    meaning: 'Too many contracts wait for verification; Retry-After says when to try again.',
  },
  'code-unknown': {
    code: '50047',
    status: 503,
    reach: 'handed-in',
    meaning: 'The node that knows the deployed code cannot be asked now.',
  },
  'unknown-job': {
    code: '50048',
    status: 404,
    reach: 'outcome',
    meaning: 'No job has this GUID, or it is so old that its result is forgotten.',
  },
  'cannot-verify': {
    code: '50049',
    status: 501,
    reach: 'verifying',
    meaning: 'Nothing can be verified here; the message says what is missing.',
  },
} as const satisfies Readonly<Record<string, RefusalEntry>>;

export type RefusalKind = keyof typeof REFUSALS;

/** Why a request gets no records. Its message is for the client, and never repeats what it sent. */
export class Refusal extends Error {
  readonly kind: RefusalKind;
  /** Beside those that every refusal has. */
  readonly headers: Readonly<Record<string, string>>;

  constructor(kind: RefusalKind, message: string, headers: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = 'Refusal';
    this.kind = kind;
    this.headers = headers;
  }
}
