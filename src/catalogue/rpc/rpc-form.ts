import { asMapping } from '../../json-in.ts';
import { decimalText } from '../decimal.ts';

/**
 * The forms of values in JSON-RPC. A form gives the text of a value, as the kind of its column
 * reads it; undefined for a value of another form.
 */
export interface Form {
  /** The value on the wire, as a JSON Schema. */
  readonly schema: Readonly<Record<string, unknown>>;
  text(value: unknown): string | undefined;
}

const QUANTITY = /^0x[0-9a-f]+$/i;
const BYTES = /^0x(?:[0-9a-f]{2})*$/i;
const NATIVE_PLACES = 18;

function hex(pattern: RegExp, text: (value: string) => string): Form {
  return {
    schema: { type: 'string', pattern: pattern.source.replace('a-f', 'a-fA-F') },
    text: (value) => (typeof value === 'string' && pattern.test(value) ? text(value) : undefined),
  };
}

function listed(text: (items: readonly unknown[]) => string): Form {
  return {
    schema: { type: 'array' },
    text: (value) => (Array.isArray(value) ? text(value) : undefined),
  };
}

const inDigits = (value: string): string => String(BigInt(value));

/** The hash of a transaction, which a block lists as it is or within the transaction. */
export function hashOf(transaction: unknown): string {
  return String(asMapping(transaction)['hash'] ?? transaction).toLowerCase();
}

export const FORMS = {
  /** A whole number, in decimal digits. */
  quantity: hex(QUANTITY, inDigits),
  /** An amount of wei, in native tokens. */
  native: hex(QUANTITY, (wei) => decimalText({ digits: BigInt(wei), scale: NATIVE_PLACES })),
  /** Seconds since the Unix epoch, in milliseconds. */
  seconds: hex(QUANTITY, (value) => String(BigInt(value) * 1000n)),
  /** 1 for success, 0 for failure, in the words of the query API. */
  status: hex(/^0x0*[01]$/, (value) => (BigInt(value) === 1n ? 'success' : 'fail')),
  address: hex(/^0x[0-9a-f]{40}$/i, (value) => value.toLowerCase()),
  hash: hex(/^0x[0-9a-f]{64}$/i, (value) => value.toLowerCase()),
  bytes: hex(BYTES, (value) => value.toLowerCase()),
  /** The number of items of a list. */
  count: listed((items) => String(items.length)),
  /** The hashes of transactions, in order, separated by commas. */
  hashes: listed((items) => items.map(hashOf).join()),
  json: listed((items) => JSON.stringify(items)),
} as const satisfies Readonly<Record<string, Form>>;

export type FormName = keyof typeof FORMS;
