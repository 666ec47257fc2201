import { z } from 'zod';
import { type CoveragePart, STATUSES } from '../../coverage/coverage.ts';
import type { ListId } from '../../coverage/list.ts';
import { BrokenEntry } from './broken-entry.ts';

/**
 * The claims of a log entry as they are stored: small, because an entry often repeats the keys,
 * intervals and times of the entries before it.
 *
 * Lists and outcomes (status and reason) are tables, and a claim is a row of numbers: its list, its
 * outcome, and the differences of `from`, of the number of blocks, of `head` and of `readAtMs` from
 * those of the row before. After these come its keys as runs of numbers: the distance from the end
 * of the run before, and the length. Keys are numbered over the whole log (`KeyNames`). Hashes
 * rarely come again, so they have no numbers: their rows end with a count, and their bytes follow
 * one another in `hashes`.
 */

/** Coverage of several keys with the same interval, status and reading. */
export interface CoverageClaim extends ListId, CoveragePart {
  readonly keys: readonly string[];
}

const whole = z.number().int();
const row = z.array(whole).min(7);

export const storedClaimsSchema = z.object({
  /** Keys that no earlier entry names, numbered from `first` on. */
  names: z.object({ first: whole.nonnegative(), keys: z.array(z.string()) }).optional(),
  lists: z.array(z.tuple([z.string(), z.string()])),
  outcomes: z.array(z.tuple([z.enum(STATUSES), z.string()])),
  rows: z.array(row),
  /** Claims of hashes. */
  looked: z.array(row).optional(),
  /** The hashes of these, 32 bytes each, in base64. */
  hashes: z.base64().optional(),
});
export type StoredClaims = z.infer<typeof storedClaimsSchema>;

const HASH = /^0x[0-9a-f]{64}$/;
const HASH_BYTES = 32;
/** List, outcome, first block, blocks, head and time. */
const FIXED = 6;

export function isHash(key: string): boolean {
  return HASH.test(key);
}

/**
 * The keys of a table's log, numbered in the order in which entries first name them: an entry
 * writes a new key once, and later claims refer to its number.
 */
export class KeyNames {
  readonly #keys: string[] = [];
  readonly #numbers = new Map<string, number>();

  /** The number that the next key gets. */
  get size(): number {
    return this.#keys.length;
  }

  all(): readonly string[] {
    return this.#keys;
  }

  /** Undefined for a number that no key has, or none that is known. */
  keyAt(number: number): string | undefined {
    return this.#keys[number];
  }

  numberOf(key: string): number | undefined {
    return this.#numbers.get(key);
  }

  /** Adds keys, numbered from `first` on. Numbers below it stay unknown if they were skipped. */
  add(first: number, keys: readonly string[]): void {
    for (const [i, key] of keys.entries()) {
      this.#keys[first + i] = key;
      this.#numbers.set(key, first + i);
    }
  }
}

/** The claims of a commit as they are stored behind the entries that `names` has the keys of. */
export function storedClaims(claims: readonly CoverageClaim[], names: KeyNames): StoredClaims {
  const lists = new Table<readonly [string, string]>();
  const outcomes = new Table<readonly [CoverageClaim['status'], string]>();
  const named = new NewNames(names);
  const rows = new Rows();
  const looked = new Rows();
  const hashes: Buffer[] = [];
  for (const claim of claims) {
    const { endpoint, variant, status, reason, keys } = claim;
    const at = [lists.at([endpoint, variant]), outcomes.at([status, reason])] as const;
    const ofHashes = keys.filter(isHash).sort();
    if (ofHashes.length > 0) looked.add([...at, ...looked.differences(claim), ofHashes.length]);
    for (const key of ofHashes) hashes.push(Buffer.from(key.slice(2), 'hex'));
    const others = ofHashes.length === 0 ? keys : keys.filter((key) => !isHash(key));
    if (others.length === 0) continue;
    const numbers = others.map((key) => named.numberOf(key));
    rows.add([...at, ...rows.differences(claim), ...rows.runs(numbers)]);
  }
  return {
    ...(named.keys.length === 0 ? {} : { names: { first: names.size, keys: named.keys } }),
    lists: lists.all.map(([endpoint, variant]) => [endpoint, variant]),
    outcomes: outcomes.all.map(([status, reason]) => [status, reason]),
    rows: rows.all,
    ...(hashes.length === 0
      ? {}
      : { looked: looked.all, hashes: Buffer.concat(hashes).toString('base64') }),
  };
}

/** Values that rows refer to by their position. */
class Table<T> {
  readonly all: T[] = [];
  readonly #at = new Map<string, number>();

  at(value: T): number {
    const id = JSON.stringify(value);
    const at = this.#at.get(id) ?? this.all.push(value) - 1;
    this.#at.set(id, at);
    return at;
  }
}

/** Numbers of keys; those that the log lacks follow its own. */
class NewNames {
  readonly keys: string[] = [];
  readonly #names: KeyNames;
  readonly #numbers = new Map<string, number>();

  constructor(names: KeyNames) {
    this.#names = names;
  }

  numberOf(key: string): number {
    const number = this.#names.numberOf(key) ?? this.#numbers.get(key);
    if (number !== undefined) return number;
    const next = this.#names.size + this.keys.push(key) - 1;
    this.#numbers.set(key, next);
    return next;
  }
}

/** Rows of numbers, each as the differences from the one before. */
class Rows {
  readonly all: number[][] = [];
  readonly #last = new Last();

  add(numbers: number[]): void {
    this.all.push(numbers);
  }

  differences({ from, to, head, readAtMs }: CoverageClaim): number[] {
    return this.#last.differences([from, to - from, head, readAtMs]);
  }

  runs(numbers: readonly number[]): number[] {
    const runs: number[] = [];
    for (let at = 0; at < numbers.length; ) {
      const first = numbers[at] ?? 0;
      let end = at + 1;
      while (numbers[end] === first + end - at) end += 1;
      runs.push(first - this.#last.key, end - at);
      this.#last.key = first + end - at;
      at = end;
    }
    return runs;
  }
}

/** The values that the next row's differences are from. */
class Last {
  /** The number after the last run of keys. */
  key = 0;
  #values = [0, 0, 0, 0];

  differences(values: readonly number[]): number[] {
    const differences = values.map((value, i) => value - (this.#values[i] ?? 0));
    this.#values = [...values];
    return differences;
  }

  values(differences: readonly number[]): number[] {
    this.#values = this.#values.map((value, i) => value + (differences[i] ?? 0));
    return this.#values;
  }
}

export interface ReadClaims {
  /** With the keys that are known. */
  readonly claims: readonly CoverageClaim[];
  /** The claims that have other keys, too, which only unreadable entries name. */
  readonly unknown: readonly CoverageClaim[];
}

/**
 * Reads stored claims, after the names that they bring were added to `names`. Throws BrokenEntry if
 * they refer to nothing.
 */
export function readClaims(stored: StoredClaims, names: KeyNames): ReadClaims {
  const claims: CoverageClaim[] = [];
  const unknown: CoverageClaim[] = [];
  const hashes = Buffer.from(stored.hashes ?? '', 'base64');
  let last = new Last();
  for (const numbers of stored.rows) {
    const rest = fixedOf(stored, numbers, last);
    const keys: string[] = [];
    let count = 0;
    for (let at = FIXED; at < numbers.length; at += 2) {
      const first = last.key + (numbers[at] ?? 0);
      const length = numbers[at + 1] ?? 0;
      for (let i = Math.max(0, -first); i < length && first + i < names.size; i += 1) {
        const key = names.keyAt(first + i);
        if (key !== undefined) keys.push(key);
      }
      count += length;
      last.key = first + length;
    }
    const claim = { ...rest, keys };
    if (keys.length !== count) unknown.push(claim);
    if (keys.length > 0) claims.push(claim);
  }
  last = new Last();
  let end = 0;
  for (const numbers of stored.looked ?? []) {
    const rest = fixedOf(stored, numbers, last);
    const keys = Array.from({ length: numbers[FIXED] ?? 0 }, () => {
      end += HASH_BYTES;
      return `0x${hashes.toString('hex', end - HASH_BYTES, end)}`;
    });
    claims.push({ ...rest, keys });
  }
  if (end !== hashes.length) throw new BrokenEntry(0, 'has other hashes than its claims count');
  return { claims, unknown };
}

function fixedOf(
  { lists, outcomes }: StoredClaims,
  [list = 0, outcome = 0, ...numbers]: readonly number[],
  last: Last,
): Omit<CoverageClaim, 'keys'> {
  const [endpoint, variant] = lists[list] ?? [];
  const [status, reason] = outcomes[outcome] ?? [];
  const [from = 0, blocks = 0, head = 0, readAtMs = 0] = last.values(numbers.slice(0, 4));
  if (endpoint === undefined || variant === undefined) throw noSuch('list', list);
  if (status === undefined || reason === undefined) throw noSuch('outcome', outcome);
  if (from < 0 || blocks < 0)
    throw new BrokenEntry(0, `has coverage of ${from} and ${blocks} more`);
  return { endpoint, variant, from, to: from + blocks, status, reason, head, readAtMs };
}

function noSuch(kind: string, number: number): BrokenEntry {
  return new BrokenEntry(0, `has coverage of ${kind} ${number}, which it does not name`);
}
