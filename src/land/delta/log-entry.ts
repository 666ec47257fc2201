import { constants } from 'node:buffer';
import { createHash } from 'node:crypto';
import { Fault } from '../../fault.ts';
import { isInTable, type Line, lineSchema } from './actions.ts';
import { BrokenEntry } from './broken-entry.ts';

/**
 * One entry of a table's log, as the bytes of its file. An entry of windrow begins with a seal: the
 * digest of all entries before it and the digest of the entry itself. The seals detect a changed
 * bit in every sealed entry and in every entry that a sealed one follows. Entries of other programs
 * have no seal of their own.
 */

/** The digest of no entries. */
export const EMPTY_LOG = '0'.repeat(64);

export const DIGEST = /^[0-9a-f]{64}$/;
/** Beginning of a sealed entry. It is ASCII, so character positions are byte positions. */
const START = '{"commitInfo":{';
const BEFORE = `${START}"seal":{"before":"`;
const OWN = '","sha256":"';
const BEFORE_AT = BEFORE.length;
const OWN_AT = BEFORE_AT + EMPTY_LOG.length + OWN.length;
const OWN_END = OWN_AT + EMPTY_LOG.length;
/** A second mark of every sealed entry, so that one changed bit cannot hide the seal. */
const MARK = '"sealed":true';

/** Digest of the log including this entry, from the digest of the entries before it. */
export function logDigest(before: string, entry: Uint8Array): string {
  return createHash('sha256').update(before).update(entry).digest('hex');
}

/** Adds the seal to an entry, which must begin with its commitInfo and contain `sealed`. */
export function sealed(text: string, before: string): string {
  if (!text.startsWith(START) || !text.includes(MARK)) throw new Error('no entry to be sealed');
  const blank = `${BEFORE}${before}${OWN}${EMPTY_LOG}"},${text.slice(START.length)}`;
  const digest = ownDigest(Buffer.from(blank));
  return `${blank.slice(0, OWN_AT)}${digest}${blank.slice(OWN_END)}`;
}

/** Digest of an entry, computed with zeros in place of its own digest. */
function ownDigest(entry: Buffer): string {
  return createHash('sha256')
    .update(entry.subarray(0, OWN_AT))
    .update(EMPTY_LOG)
    .update(entry.subarray(OWN_END))
    .digest('hex');
}

export interface Seal {
  /** Digest of all entries before this one. */
  readonly before: string;
  /** Whether every byte of the entry is as it was written. */
  readonly holds: boolean;
}

/** The seal of an entry; undefined if it was written without one. */
export function sealOf(entry: Buffer): Seal | undefined {
  const head = entry.subarray(0, OWN_END).toString('latin1');
  if (!head.startsWith(BEFORE) && !entry.includes(MARK)) return undefined;
  const digest = head.slice(OWN_AT);
  const holds = DIGEST.test(digest) && ownDigest(entry) === digest;
  return { before: head.slice(BEFORE_AT, BEFORE_AT + EMPTY_LOG.length), holds };
}

/** Larger entries are not restored, because trying each of their bits takes too long. */
const MAX_MENDED_BYTES = 128 * 1024;

/**
 * Restores a sealed entry with one changed bit, as proven by its digest. Undefined if more bits
 * have changed or the entry has no seal. Takes up to a minute for large entries.
 */
export function mended(entry: Buffer): Buffer | undefined {
  if (entry.length > MAX_MENDED_BYTES || entry.length < OWN_END) return undefined;
  const seal = sealOf(entry);
  if (seal === undefined || seal.holds) return undefined;
  const copy = Buffer.from(entry);
  const digest = Buffer.from(ownDigest(entry));
  digest.copy(copy, OWN_AT);
  if (bitsApart(digest, entry.subarray(OWN_AT, OWN_END)) === 1) return copy;
  entry.copy(copy);
  copy.fill('0', OWN_AT, OWN_END);
  const wanted = entry.toString('latin1', OWN_AT, OWN_END);
  const before = createHash('sha256');
  for (let at = 0; at < copy.length; at += 1) {
    for (let bit = 1; bit < 256; bit *= 2) {
      if (at >= OWN_AT && at < OWN_END) break;
      copy[at] = (copy[at] ?? 0) ^ bit;
      const isMatch = before.copy().update(copy.subarray(at)).digest('hex') === wanted;
      if (isMatch) entry.copy(copy, OWN_AT, OWN_AT, OWN_END);
      if (isMatch) return copy;
      copy[at] = (copy[at] ?? 0) ^ bit;
    }
    before.update(copy.subarray(at, at + 1));
  }
  return undefined;
}

function bitsApart(one: Uint8Array, other: Uint8Array): number {
  let bits = 0;
  for (const [i, byte] of one.entries()) {
    for (let rest = byte ^ (other[i] ?? 0); rest > 0; rest &= rest - 1) bits += 1;
  }
  return bits;
}

export interface NumberedLine {
  readonly number: number;
  readonly parsed: Line;
}

/** Parses the lines of an entry. Throws BrokenEntry. */
export function linesOf(entry: Buffer): NumberedLine[] {
  if (entry.length > constants.MAX_STRING_LENGTH) {
    const mib = (bytes: number): string => `${Math.round(bytes / 2 ** 20)} MiB`;
    const most = mib(constants.MAX_STRING_LENGTH);
    throw new BrokenEntry(0, `has ${mib(entry.length)}, and the most that can be read is ${most}`);
  }
  const text = entry.toString('utf8');
  if (text.trim() === '') throw new BrokenEntry(0, 'is empty');
  const lines = text
    .split('\n')
    .map((line, i) => ({ line, number: i + 1 }))
    .filter(({ line }) => line.trim() !== '')
    .map(({ line, number }) => ({
      number,
      parsed: orBrokenEntry(number, () => lineSchema.parse(JSON.parse(line))),
    }));
  for (const line of lines) orBrokenEntry(line.number, () => checkPaths(line));
  for (const { number, parsed } of lines) {
    const stated = parsed.commitInfo?.windrow?.lines ?? lines.length;
    if (stated === lines.length) continue;
    throw new BrokenEntry(number, `has ${lines.length} of ${stated} lines`);
  }
  return lines;
}

/** Throws BrokenEntry for a file outside the table's folder: maintenance might delete that file. */
function checkPaths({ number, parsed: { add, remove } }: NumberedLine): void {
  for (const action of [add, remove]) {
    const path = decodeURIComponent(action?.path ?? '');
    if (isInTable(path)) continue;
    throw new BrokenEntry(number, `names a file outside the folder of its table: ${path}`);
  }
}

/** When an entry was committed [ms since the Unix epoch]; 0 if another program left it out. */
export function committedAt(lines: readonly NumberedLine[]): number {
  const info = lines.find(({ parsed }) => parsed.commitInfo !== undefined)?.parsed.commitInfo;
  return info?.timestamp ?? 0;
}

/** Returns the result of `make`, and turns its errors into BrokenEntry. */
export function orBrokenEntry<T>(line: number, make: () => T): T {
  try {
    return make();
  } catch (error) {
    if (error instanceof Fault || error instanceof BrokenEntry) throw error;
    const finding = error instanceof SyntaxError ? 'is not JSON' : 'is not a Delta log line';
    throw new BrokenEntry(line, finding, error);
  }
}

/** Throws BrokenEntry if the seal proves a change in this entry or one before it. */
export function checkSeal(entry: Buffer, before: string): void {
  const seal = sealOf(entry);
  if (seal === undefined) return;
  if (!seal.holds) throw new BrokenEntry(0, 'was changed after it was written');
  if (seal.before === before) return;
  throw new BrokenEntry(0, 'does not follow the entries before it: one of them was changed');
}
