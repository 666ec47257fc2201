import type { RpcMethod, RpcParam } from '../../../src/catalogue/rpc/rpc-method.ts';
import { RpcError } from './rpc-errors.ts';

/** Answers a method's parameters; throws an RpcError if it cannot. */
export type RpcAnswerer = (params: readonly unknown[]) => unknown;

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

/** The values that a method gets, by the types of its parameters. */
interface ParamValues {
  readonly address: string;
  readonly hash: string;
  readonly block: BlockTag;
  readonly flag: boolean;
  readonly call: CallRequest;
}

export type ParamsOf<M extends Pick<RpcMethod, 'params'>> = ValuesOf<M['params']>;

type ValuesOf<P extends readonly RpcParam[]> = {
  readonly [At in keyof P]: ParamValues[P[At]['type']];
};

type Read<T extends RpcParam['type']> = (value: unknown, name: string) => ParamValues[T];

const READERS: { readonly [T in RpcParam['type']]: Read<T> } = {
  address: (value, name) => matching(value, ADDRESS, `${name} is not an address`),
  hash: (value, name) => matching(value, HASH, `${name} is not a hash`),
  block: (value = 'latest', name) => {
    const tag = TAGS.find((option) => option === value);
    if (tag !== undefined) return tag;
    const message = `${name} is not a block number or tag`;
    const height = Number(matching(value, QUANTITY, message));
    if (!Number.isSafeInteger(height)) throw new RpcError('invalid-params', message);
    return height;
  },
  flag: (value = false, name) => {
    if (typeof value === 'boolean') return value;
    throw new RpcError('invalid-params', `${name} is not true or false`);
  },
  // `input` is the newer name of `data`. All other members are ignored.
  call: (value, name) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) {
      throw new RpcError('invalid-params', `${name} is not a call`);
    }
    const { to, data, input } = value as Readonly<Record<string, unknown>>;
    const bytes = input ?? data ?? '0x';
    return {
      to: to === undefined || to === null ? undefined : matching(to, ADDRESS, NOT_ADDRESS),
      data: matching(bytes, BYTES, 'the data of the call is not hex'),
    };
  },
};

const NOT_ADDRESS = 'to is not an address';

/**
 * The parameters of a call, by the declaration of its method; hex is in lower case. Throws an
 * RpcError('invalid-params').
 */
export function paramsIn<M extends Pick<RpcMethod, 'params'>>(
  entry: M,
  params: readonly unknown[],
): ParamsOf<M> {
  return entry.params.map(({ type }, at) => {
    const read = READERS[type] as Read<RpcParam['type']>;
    return read(params[at] ?? undefined, `parameter ${at + 1}`);
  }) as unknown as ParamsOf<M>;
}

/** The answer to a declared method, which gets its parameters as declared. */
export function answering<M extends Pick<RpcMethod, 'method' | 'params'>>(
  entry: M,
  answer: (params: ParamsOf<M>) => unknown,
): readonly [string, RpcAnswerer] {
  return [entry.method, (params) => answer(paramsIn(entry, params))];
}

function matching(value: unknown, pattern: RegExp, message: string): string {
  if (typeof value === 'string' && pattern.test(value)) return value.toLowerCase();
  throw new RpcError('invalid-params', message);
}
