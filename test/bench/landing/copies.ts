import { endpointAt } from '../../../src/catalogue/index.ts';
import { listOf } from '../../../src/coverage/list.ts';
import type { Slice } from '../../../src/coverage/slice.ts';

/** Heights per copy: above those of the window, because some requests name the height after it. */
const WINDOW = 12_000;

export const BY_GROUP = 'mainchain/address/normal-transaction-list-multi';
export const TRANSFERS = 'mainchain/address/token-transaction-list';

/** The lists that are landed: those of the addresses in every copy of the chain. */
export interface Copies {
  readonly path: string;
  readonly addresses: readonly string[];
  /** Blocks of the chain. */
  readonly blocks: number;
  readonly copies: number;
}

/** The slices of all copies: copy `i` of the chain begins at block `i * WINDOW`. */
export function slicesOf({ path, addresses, blocks, copies }: Copies): Slice[] {
  const list = listOf(endpointAt(path), path === TRANSFERS ? { protocolType: 'token_20' } : {});
  const group = path === TRANSFERS ? 1 : 20;
  const slices: Slice[] = [];
  for (let copy = 0; copy < copies; copy += 1) {
    const interval = { from: copy * WINDOW, to: copy * WINDOW + blocks - 1 };
    for (let at = 0; at < addresses.length; at += group) {
      slices.push({ list, keys: addresses.slice(at, at + group), interval, provisional: false });
    }
  }
  return slices;
}

/** The height after the last one of all copies. */
export function headOf({ copies }: Copies): number {
  return copies * WINDOW;
}

const BOUND = /(?<=&(?:start|end)BlockHeight=)\d+/g;

/** Which copy of the chain a request reads. */
export function copyOf(target: string): number {
  const [, end = '0'] = target.match(BOUND) ?? [];
  return Math.floor(Number(end) / WINDOW);
}

/** The request for the same blocks of the first copy. */
export function ofFirst(target: string): string {
  const shift = copyOf(target) * WINDOW;
  return target.replace(BOUND, (height) => String(Math.max(0, Number(height) - shift)));
}

/** The records of the first copy with the heights and hashes of another one. */
export function shifted(body: string, copy: number): string {
  const digits = copy.toString(16).padStart(4, '0');
  return body
    .replace(/(?<="height":")\d+/g, (height) => String(Number(height) + copy * WINDOW))
    .replace(/(?<="(?:txId|blockHash)":"0x)..../g, digits);
}
