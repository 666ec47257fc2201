import { BlockList, isIP } from 'node:net';
import { Fault } from '../../fault.ts';

/** Environment variables. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** A proxy that the environment names for an address. */
export interface HttpProxy {
  /** With protocol, host and port, without user name and password. */
  readonly origin: string;
  /** The variable that names it. */
  readonly variable: string;
  /** Headers of the proxy itself: the user name and password, if the variable has them. */
  readonly headers: Readonly<Record<string, string>>;
}

const LOOPBACK = /^(localhost|127\.[\d.]+|\[::1\])$/;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy for an address: HTTPS_PROXY or HTTP_PROXY by its protocol, unless NO_PROXY has its
 * host. The name in lower case comes first, as in curl. This machine is always reached directly.
 * Throws a configuration fault for a variable that does not name a proxy.
 */
export function proxyFor(address: string, env: Environment): HttpProxy | undefined {
  const { protocol, hostname, port } = new URL(address);
  const name = protocol === 'https:' ? 'https_proxy' : 'http_proxy';
  const variable = env[name] === undefined ? name.toUpperCase() : name;
  const value = env[variable]?.trim() ?? '';
  const exceptions = env['no_proxy'] ?? env['NO_PROXY'] ?? '';
  const target = { hostname, port: port || DEFAULT_PORTS[protocol] };
  if (value === '' || LOOPBACK.test(hostname) || isExcepted(target, exceptions)) return undefined;
  const text = /^[a-z0-9]+:\/\//i.test(value) ? value : `http://${value}`;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || DEFAULT_PORTS[url.protocol] === undefined) {
    throw new Fault('configuration', `${variable} is not the address of an HTTP proxy.`, {
      advice: 'Write http://HOST:PORT, or unset it. SOCKS proxies are not supported.',
    });
  }
  const login = [url.username, url.password].map(decoded).join(':');
  const basic = `Basic ${Buffer.from(login).toString('base64')}`;
  const headers = login === ':' ? {} : { 'proxy-authorization': basic };
  return { origin: url.origin, variable, headers };
}

/** A password may have a % that begins no escape. */
function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The proxy in a message, without its password. */
export function namedProxy({ origin, variable }: HttpProxy): string {
  return `the proxy ${origin} (${variable})`;
}

/** Whether NO_PROXY has the host: as a name, with its subdomains, an address or a range of them. */
function isExcepted(
  { hostname, port }: { readonly hostname: string; readonly port: string | undefined },
  exceptions: string,
): boolean {
  const host = hostname.replace(/^\[|\]$|\.$/g, '');
  const entries = exceptions.split(/[,\s]+/).filter((entry) => entry !== '');
  return entries.some((entry) => {
    if (entry === '*') return true;
    if (isIP(host) !== 0 && entry.includes('/')) return isInRange(host, entry);
    const [, name = entry, only] = (isIP(entry) === 0 && /^(.*[^:]):(\d+)$/.exec(entry)) || [];
    const wanted = name.toLowerCase().replace(/^\[|\]$|^\*?\./g, '');
    const isNamed = host === wanted || (isIP(host) === 0 && host.endsWith(`.${wanted}`));
    return isNamed && (only === undefined || only === port);
  });
}

function isInRange(host: string, range: string): boolean {
  const [network = '', bits = ''] = range.split('/');
  const family = isIP(network) === 6 ? 'ipv6' : 'ipv4';
  const most = family === 'ipv6' ? 128 : 32;
  if (isIP(network) === 0 || !/^\d+$/.test(bits) || Number(bits) > most) return false;
  const list = new BlockList();
  list.addSubnet(network, Number(bits), family);
  return list.check(host, isIP(host) === 6 ? 'ipv6' : 'ipv4');
}
