import { type HttpProxy, namedProxy } from './proxy.ts';

export type TransportFailureKind =
  | 'refused'
  | 'unknown-host'
  | 'timeout'
  | 'network'
  | 'certificate'
  | 'protocol'
  | 'proxy'
  | 'proxy-login'
  | 'unsendable'
  | 'broken-body'
  | 'redirect'
  | 'too-large';

/**
 * The failure of a request without a response. `redirect`, `too-large`, `proxy-login` and
 * `unsendable` would occur again; the others may not.
 */
export class TransportFailure extends Error {
  readonly kind: TransportFailureKind;
  /** The remedy, if one is known for the cause. */
  readonly advice: string | undefined;

  constructor(kind: TransportFailureKind, message: string, cause?: unknown, advice?: string) {
    super(message, { cause });
    this.name = 'TransportFailure';
    this.kind = kind;
    this.advice = advice;
  }
}

type Known = readonly [kind: TransportFailureKind, message: string, advice?: string];

const UNTRUSTED =
  'If you trust it, name a PEM file with its certificates in NODE_EXTRA_CA_CERTS; otherwise ask ' +
  'the operator of the service for a certificate of a public authority.';
const UNKNOWN_AUTHORITY: Known = [
  'certificate',
  'the authority of the certificate is unknown to this machine, or the service does not send ' +
    'the certificates between them',
  UNTRUSTED,
];
const SELF_SIGNED: Known = ['certificate', 'the certificate is self-signed', UNTRUSTED];
const NO_TLS: Known = [
  'protocol',
  'the port does not speak TLS',
  'Write http:// in source.url if the service has no TLS, or correct the port.',
];
export const UNKNOWN_HOST =
  'Check the spelling of source.url (or --source-url). If only a proxy knows the name, set ' +
  'HTTPS_PROXY, or HTTP_PROXY for http.';

/** The sentence and the remedy for each code of a failed connection. */
const FAILURES: Readonly<Record<string, Known>> = {
  ECONNREFUSED: ['refused', 'the connection was refused'],
  ENOTFOUND: ['unknown-host', 'the host name is unknown', UNKNOWN_HOST],
  EAI_AGAIN: ['unknown-host', 'the host name could not be resolved', UNKNOWN_HOST],
  ETIMEDOUT: ['timeout', 'the connection timed out'],
  UND_ERR_CONNECT_TIMEOUT: ['timeout', 'connecting took too long'],
  UND_ERR_HEADERS_TIMEOUT: ['timeout', 'the answer took too long to begin'],
  UND_ERR_BODY_TIMEOUT: ['timeout', 'the answer stopped in the middle'],
  CERT_HAS_EXPIRED: [
    'certificate',
    'the certificate of the service has expired',
    'Check the clock of this machine, then ask the operator of the service to renew it.',
  ],
  CERT_NOT_YET_VALID: [
    'certificate',
    'the certificate of the service is not valid yet',
    'Check the clock of this machine, then ask the operator of the service.',
  ],
  ERR_TLS_CERT_ALTNAME_INVALID: [
    'certificate',
    'the certificate is for another host name',
    'Write the name of the certificate in source.url, or ask the operator of the service for a ' +
      'certificate with this name.',
  ],
  DEPTH_ZERO_SELF_SIGNED_CERT: SELF_SIGNED,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
  EPROTO: NO_TLS,
  ERR_SSL_WRONG_VERSION_NUMBER: NO_TLS,
  ERR_SSL_PACKET_LENGTH_TOO_LONG: NO_TLS,
  HTTPParserError: [
    'protocol',
    'the answer is not HTTP',
    'Check the port in source.url; a port with TLS needs https://.',
  ],
  UND_ERR_INVALID_ARG: [
    'unsendable',
    'a header or the path has characters that cannot be sent',
    'Check WINDROW_ACCESS_KEY and WINDROW_PASSPHRASE, and source in the pipeline.',
  ],
};

/**
 * The failure behind an error of a connection, which has a code, or several causes after several
 * tries. Through a proxy, the message names the proxy.
 */
export function asTransportFailure(error: unknown, proxy?: HttpProxy): TransportFailure {
  const failure = error instanceof TransportFailure ? error : failureWith(error);
  if (proxy === undefined || failure.kind.startsWith('proxy')) return failure;
  const { kind, message, advice } = failure;
  const isOfTarget = kind === 'certificate' || kind === 'unsendable';
  return new TransportFailure(
    kind,
    `${message}; requests go through ${namedProxy(proxy)}`,
    error,
    isOfTarget ? advice : PROXY_ADVICE,
  );
}

export const PROXY_ADVICE =
  'Check that the proxy runs and allows this address. A host in NO_PROXY is reached without it.';

function failureWith(error: unknown): TransportFailure {
  const code = codeOf(error);
  const name = error instanceof Error ? error.name : '';
  const failure = FAILURES[code] ?? FAILURES[name];
  if (failure !== undefined) return new TransportFailure(failure[0], failure[1], error, failure[2]);
  const named = code === '' ? '' : ` (${code})`;
  if (/CERT|^ERR_(SSL|TLS)/.test(code)) {
    return new TransportFailure('certificate', `no TLS connection could be made${named}`, error);
  }
  return new TransportFailure('network', `the connection was lost${named}`, error);
}

/** The code of an error or of its first cause; '' if it has none. */
export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  return error instanceof AggregateError ? codeOf(error.errors[0]) : '';
}
