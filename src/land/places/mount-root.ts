import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { isAbsolute, join, resolve } from 'node:path';
import type { Operator } from 'opendal';
import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import type { CacheSettings } from '../../pipeline/maintenance.ts';
import { parseAddress, storeSettings } from './address.ts';
import { Listings } from './listings.ts';
import { LocalCopies } from './local-copies.ts';
import { mount } from './mounts.ts';
import { ObjectFiles } from './object-files.ts';
import { opendalStore, openOperator } from './opendal-store.ts';
import type { Disk } from './published-files.ts';

const GIGABYTES = 20;

/**
 * Makes a folder of this machine stand for a data root in an object store, and returns its path:
 * everything that can be made again lies in it, and it may be deleted between commands. Sends
 * nothing yet. Settings of the pipeline go before WINDROW_CACHE_DIR and WINDROW_CACHE_GB.
 */
export function mountRoot(
  text: string,
  { dir, gigabytes }: CacheSettings,
  env: NodeJS.ProcessEnv,
  disk: Disk,
  effects: Pick<Effects, 'now' | 'sleep' | 'random' | 'log'>,
): string {
  const address = parseAddress(text);
  const settings = storeSettings(address, env);
  const digest = createHash('sha256').update(JSON.stringify([address.text, settings['endpoint']]));
  const name = `${address.bucket}-${digest.digest('hex').slice(0, 16)}`;
  const folder = resolve(dir ?? env['WINDROW_CACHE_DIR'] ?? cachesOf(env), name);
  const bytes = (gigabytes ?? gigabytesIn(env['WINDROW_CACHE_GB'])) * 1e9;
  let opened: Promise<Operator> | undefined;
  const operator = (): Promise<Operator> => {
    opened ??= openOperator(address.service, settings, address.text);
    return opened;
  };
  const store = opendalStore(operator, address.text, effects);
  const copies = new LocalCopies(folder, disk, bytes, effects);
  const place = { folder, address: address.text };
  const listings = new Listings(store, effects);
  mount(new ObjectFiles(place, { store, disk, copies, listings }));
  return folder;
}

/** The folder of the caches of a user: in XDG_CACHE_HOME or `~/.cache`. */
export function cachesOf({ XDG_CACHE_HOME: home = '' }: NodeJS.ProcessEnv): string {
  return join(isAbsolute(home) ? home : join(homedir(), '.cache'), 'windrow');
}

function gigabytesIn(text: string | undefined): number {
  if (text === undefined || text === '') return GIGABYTES;
  const gigabytes = Number(text);
  if (gigabytes > 0) return gigabytes;
  throw new Fault('configuration', `WINDROW_CACHE_GB is ${JSON.stringify(text)}.`, {
    advice: 'Give the room for copies of objects as a number of gigabytes, as in 50.',
  });
}
