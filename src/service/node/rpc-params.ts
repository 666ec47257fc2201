import { RpcError } from './rpc-errors.ts';

/** A call of a contract, with the members that are used here. */
export interface CallRequest {
  /** undefined for a contract creation. */
  readonly to: string | undefined;
  /** `0x` and an even number of digits. */
  readonly data: string;
}

/** A height, or a tag. */
export type BlockTag = number | 'latest' | 'pending' | 'earliest' | 'safe' | 'finalized';

const TAGS: readonly BlockTag[] = ['latest', 'pending', 'earliest', 'safe', 'finalized'];
const ADDRESS = /^0x[0-9a-f]{40}$/i;
const HASH = /^0x[0-9a-f]{64}$/i;
const QUANTITY = /^0x(0|[1-9a-f][0-9a-f]*)$/i;
const BYTES = /^0x([0-9a-f]{2})*$/i;

/** The readers of parameters throw an RpcError('invalid-params'). They return hex in lower case. */
export function addressIn(params: readonly unknown[], at: number): string {
  return matching(params[at], ADDRESS, `parameter ${at + 1} is not an address`);
}

export function hashIn(params: readonly unknown[], at: number): string {
  return matching(params[at], HASH, `parameter ${at + 1} is not a hash`);
}

/** The block tag; `latest` if it is absent. */
export function blockTagIn(params: readonly unknown[], at: number): BlockTag {
  const value = params[at] ?? 'latest';
  const tag = TAGS.find((each) => each === value);
  if (tag !== undefined) return tag;
  const message = `parameter ${at + 1} is not a block number or tag`;
  const height = Number(matching(value, QUANTITY, message));
  if (!Number.isSafeInteger(height)) throw new RpcError('invalid-params', message);
  return height;
}

export function flagIn(params: readonly unknown[], at: number): boolean {
  const value = params[at] ?? false;
  if (typeof value === 'boolean') return value;
  throw new RpcError('invalid-params', `parameter ${at + 1} is not true or false`);
}

/** `input` is the newer name of `data`. All other members are ignored. */
export function callIn(params: readonly unknown[], at: number): CallRequest {
  const value = params[at];
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new RpcError('invalid-params', `parameter ${at + 1} is not a call`);
  }
  const { to, data, input } = value as Readonly<Record<string, unknown>>;
  return {
    to: to === undefined || to === null ? undefined : matching(to, ADDRESS, 'to is not an address'),
    data: matching(input ?? data ?? '0x', BYTES, 'the data of the call is not hex'),
  };
}

function matching(value: unknown, pattern: RegExp, message: string): string {
  if (typeof value === 'string' && pattern.test(value)) return value.toLowerCase();
  throw new RpcError('invalid-params', message);
}
