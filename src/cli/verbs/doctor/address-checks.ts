import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import { connect } from 'node:tls';
import { isCode } from '../../../land/storage/disk.ts';
import { many } from '../../terminal/console.ts';
import { type Diagnosis, failure, fine, warning } from './diagnosis.ts';

const LOOPBACK = /^(localhost|127\.|::1$)/;
const DAY_MS = 86_400_000;
/** A certificate that ends sooner gives a warning. */
const CERTIFICATE_DAYS = 14;

/** The host of a URL, without the brackets of an IPv6 address. */
function hostOf(url: string): string {
  return new URL(url).hostname.replace(/^\[|\]$/g, '');
}

/** Whether the name of the service leads to an address. */
export async function checkDns(url: string): Promise<Diagnosis> {
  const host = hostOf(url);
  if (isIP(host) !== 0) return fine('dns', `${host} is an address, so no name is looked up.`);
  try {
    const found = await lookup(host, { all: true });
    return fine('dns', `${host} leads to ${found.map(({ address }) => address).join(', ')}.`);
  } catch (error) {
    const isUnknown = isCode(error, 'ENOTFOUND');
    return failure(
      'dns',
      isUnknown
        ? `No address is known for the name ${host}.`
        : `The name ${host} could not be looked up.`,
      isUnknown
        ? 'Check the spelling of source.url in the pipeline.'
        : 'Check the DNS server of this machine (/etc/resolv.conf) and the network.',
    );
  }
}

/** Whether the connection is encrypted, with a certificate that is valid for some time. */
export async function checkTls(url: string, nowMs: number, timeoutMs: number): Promise<Diagnosis> {
  const { protocol, port } = new URL(url);
  const host = hostOf(url);
  if (protocol === 'http:') {
    if (LOOPBACK.test(host)) return fine('tls', 'The service is on this machine, without TLS.');
    return warning(
      'tls',
      'The connection is not encrypted: others on its way can read the access key.',
      'Write https:// in source.url, if the service offers it.',
    );
  }
  const ended = await certificateEnd(host, port === '' ? 443 : Number(port), timeoutMs);
  if (ended instanceof Error) {
    return failure(
      'tls',
      `There is no trusted connection to ${host}: ${ended.message}.`,
      'Ask the operator for a valid certificate. NODE_EXTRA_CA_CERTS names a file with the ' +
        'certificates of a private authority.',
    );
  }
  return certificateDiagnosis(ended, nowMs);
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
function certificateEnd(host: string, port: number, timeoutMs: number): Promise<number | Error> {
  return new Promise((resolve) => {
    const socket = connect({ host, port, ...(isIP(host) === 0 ? { servername: host } : {}) });
    const end = (result: number | Error): void => {
      socket.destroy();
      resolve(result);
    };
    socket.setTimeout(timeoutMs, () => end(new Error('no answer in time')));
    socket.once('error', end);
    socket.once('secureConnect', () => end(Date.parse(socket.getPeerCertificate().valid_to)));
  });
}
