import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { TLSSocket } from 'node:tls';
import { Fault } from '../../../fault.ts';
import { type ConnectorOptions, connectorOf } from '../../../fetch/transport/connector.ts';
import { asTransportFailure, UNKNOWN_HOST } from '../../../fetch/transport/failures.ts';
import { type Environment, type HttpProxy, proxyFor } from '../../../fetch/transport/proxy.ts';
import { isCode, localDisk } from '../../../land/storage/disk.ts';
import { many } from '../../terminal/console.ts';
import { type Diagnosis, failure, failureOfFault, fine, warning } from './diagnosis.ts';

const LOOPBACK = /^(localhost|127\.|::1$)/;
const DAY_MS = 86_400_000;
/** A certificate that ends sooner gives a warning. */
const CERTIFICATE_DAYS = 14;

/** The host of a URL, without the brackets of an IPv6 address. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/**
 * The connection to the service as requests make it: through a proxy if the environment names one,
 * then the name, then TLS. Ends with the first failure.
 */
export async function* checkAddress(
  url: string,
  nowMs: number,
  timeoutMs: number,
  env: Environment,
): AsyncGenerator<Diagnosis> {
  let proxy: HttpProxy | undefined;
  try {
    proxy = proxyFor(url, env);
  } catch (error) {
    if (!(error instanceof Fault)) throw error;
    yield failureOfFault('proxy', error);
    return;
  }
  if (proxy !== undefined) {
    const finding = `Requests go through the proxy ${proxy.origin}, which ${proxy.variable} names.`;
    yield fine('proxy', finding);
  }
  const dns = await checkDns(proxy?.origin ?? url, proxy?.variable);
  yield dns;
  if (dns.verdict !== 'fail') yield await checkTls(url, nowMs, { timeoutMs, proxy }, env);
}

/** Whether the name of the service, or of the proxy that a variable names, leads to an address. */
export async function checkDns(url: string, variable?: string): Promise<Diagnosis> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return fine('dns', `${host} is an address, so no name is looked up.`);
  try {
    const addresses = await lookup(host, { all: true });
    return fine('dns', `${host} leads to ${addresses.map(({ address }) => address).join(', ')}.`);
  } catch (error) {
    const finding = `No address is known for the name ${host}.`;
    if (variable !== undefined) return failure('dns', finding, `Check ${variable}.`);
    if (isCode(error, 'ENOTFOUND')) return failure('dns', finding, UNKNOWN_HOST);
    return failure(
      'dns',
      `The name ${host} could not be looked up.`,
      'Check the DNS server of this machine (/etc/resolv.conf) and the network.',
    );
  }
}

/** Whether the connection is encrypted, with a certificate that is valid for some time. */
async function checkTls(
  url: string,
  nowMs: number,
  options: ConnectorOptions,
  env: Environment,
): Promise<Diagnosis> {
  const host = hostOf(url);
  if (new URL(url).protocol === 'http:') {
    if (LOOPBACK.test(host)) return fine('tls', 'The service is on this machine, without TLS.');
    return warning(
      'tls',
      'The connection is not encrypted: others on its way can read the access key.',
      'Write https:// in source.url, if the service offers it.',
    );
  }
  const ended = await certificateEnd(url, options);
  if (typeof ended === 'number') return certificateDiagnosis(ended, nowMs);
  const { message, advice, kind } = asTransportFailure(ended, options.proxy);
  const remedy = advice ?? 'Check that the service runs, and the port in source.url.';
  const authorities = kind === 'certificate' ? await authoritiesNote(env) : '';
  const finding = `There is no trusted connection to ${host}: ${message}.`;
  return failure('tls', finding, remedy + authorities);
}

/** A note if the file of NODE_EXTRA_CA_CERTS, which Node ignores then, cannot be read. */
async function authoritiesNote({ NODE_EXTRA_CA_CERTS: file = '' }: Environment): Promise<string> {
  if (file === '' || (await localDisk.stat(file).catch(() => undefined))) return '';
  return ` NODE_EXTRA_CA_CERTS names ${file}, which cannot be read.`;
}

/** Whether a certificate is valid for some time. */
export function certificateDiagnosis(endMs: number, nowMs: number): Diagnosis {
  const days = Math.floor((endMs - nowMs) / DAY_MS);
  if (days >= CERTIFICATE_DAYS)
    return fine('tls', `The certificate is valid for ${many(days, 'day')}.`);
  return warning(
    'tls',
    `The certificate ends in ${many(days, 'day')}.`,
    'Ask the operator of the service to renew it.',
  );
}

/** The time at which the certificate of a server ends, or the error of the connection. */
function certificateEnd(url: string, options: ConnectorOptions): Promise<number | Error> {
  const { protocol, host, port } = new URL(url);
  const hostname = hostOf(url);
  return new Promise((resolve) => {
    connectorOf(options)({ protocol, host, hostname, port }, (error, socket) => {
      if (!(socket instanceof TLSSocket)) return resolve(error ?? new Error('no TLS'));
      resolve(Date.parse(socket.getPeerCertificate().valid_to));
      socket.destroy();
    });
  });
}
