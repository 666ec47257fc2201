import type { Endpoint, Role } from '../../catalogue/entry.ts';
import type { HttpRequest } from '../transport/transport.ts';
import { type Credentials, isSigning, type Secret, signature } from './signature.ts';

/** Names that differ between deployments of the service. */
export interface DeploymentNames {
  /** Path of the base address, before `/api/v5/`; '' by default. */
  readonly basePath?: string;
  /** Replaces the path segment `mainchain` of the catalogue. */
  readonly pathSegment: string;
  /** Replaces the path segment `zone` after it; `zone` by default. */
  readonly zoneSegment?: string;
  /** Prefix of the authentication headers, such as `SVC-`. */
  readonly headerPrefix: string;
}

const SIGNATURE_HEADER = 'ACCESS-SIGN';
const VERSION_PREFIX = '/api/v5/';
const CATALOGUE_SEGMENT = 'mainchain';
const CATALOGUE_ZONE = 'zone';

/**
 * Path and query, with parameters in the order of the catalogue entry. Values are percent-encoded
 * once; commas stay, as in the samples of the interface. Throws for a parameter that the endpoint
 * lacks.
 */
export function targetOf(
  endpoint: Endpoint,
  params: Readonly<Record<string, string>>,
  naming: DeploymentNames,
): string {
  const names = new Set(endpoint.params.map((param) => param.name));
  const unknown = Object.keys(params).find((name) => !names.has(name));
  if (unknown !== undefined) throw new Error(`${endpoint.path} has no parameter ${unknown}`);
  const query = [...names].flatMap((name) => {
    const value = params[name];
    return value === undefined ? [] : [`${encoded(name)}=${encoded(value)}`];
  });
  const [first, second, ...rest] = endpoint.path.split('/');
  const chain = first === CATALOGUE_SEGMENT ? naming.pathSegment : first;
  const zone = second === CATALOGUE_ZONE ? (naming.zoneSegment ?? CATALOGUE_ZONE) : second;
  const segments = [chain, zone, ...rest];
  const path = `${naming.basePath ?? ''}${VERSION_PREFIX}${segments.join('/')}`;
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}

function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll('%2C', ',');
}

/** The query with these values, by the roles of the parameters that the endpoint has. */
export function queryByRole(
  { params }: Endpoint,
  values: Readonly<Partial<Record<Role['role'], string | number | undefined>>>,
): Record<string, string> {
  return Object.fromEntries(
    params.flatMap(({ name, role }) => {
      const value = values[role];
      return value === undefined ? [] : [[name, String(value)]];
    }),
  );
}

/** A request as it was signed. */
export interface SignedRequest {
  readonly headers: Readonly<Record<string, string>>;
  /** undefined for a request without credentials. */
  readonly by: Credentials | undefined;
  readonly clockOffsetMs: number | undefined;
}

/**
 * The authentication headers for exactly this request: four, signed at `timeMs`; without a secret
 * key, the one with the access key.
 */
export function signatureHeaders(
  request: Omit<HttpRequest, 'headers'>,
  credentials: Credentials,
  headerPrefix: string,
  timeMs: number,
): Record<string, string> {
  const key = { [`${headerPrefix}ACCESS-KEY`]: credentials.accessKey.reveal() };
  if (!isSigning(credentials)) return key;
  const timestamp = new Date(timeMs).toISOString();
  return {
    ...key,
    [headerPrefix + SIGNATURE_HEADER]: signature(credentials.secretKey, { ...request, timestamp }),
    [`${headerPrefix}ACCESS-PASSPHRASE`]: credentials.passphrase.reveal(),
    [`${headerPrefix}ACCESS-TIMESTAMP`]: timestamp,
  };
}

const LONGEST_MESSAGE = 200;

/**
 * A message of the service made safe for a log line: without secrets and control characters, and
 * short.
 */
export function presentable(text: string, signed: Pick<SignedRequest, 'by' | 'headers'>): string {
  let clean = text;
  for (const secret of secretsIn(signed)) {
    clean = clean.replaceAll(secret, '[redacted]');
  }
  clean = clean.replace(/[\s\p{Cc}\p{Cf}]+/gu, ' ').trim();
  if (clean.length > LONGEST_MESSAGE) clean = `${clean.slice(0, LONGEST_MESSAGE)}...`;
  return clean.replace(/(?<!\.)\.$/, '');
}

/** The longest secret comes first, because one may contain another. */
function secretsIn({ by, headers }: Pick<SignedRequest, 'by' | 'headers'>): string[] {
  if (by === undefined) return [];
  const secrets = Object.values<Secret>({ ...by }).map((secret) => secret.reveal());
  const signatures = Object.entries(headers)
    .filter(([name]) => name.endsWith(SIGNATURE_HEADER))
    .map(([, value]) => value);
  return [...secrets, ...signatures]
    .filter((secret) => secret !== '')
    .sort((a, b) => b.length - a.length);
}
