import type { CodeClass } from '../../pipeline/source-settings.ts';

/** What a reply's `code` means for the request that got it. */
export type CodeTable = Readonly<Record<string, CodeClass>>;

/** Codes that name the timestamp: the clock is corrected once before they count as `auth`. */
export const TIMESTAMP_CODES: ReadonlySet<string> = new Set(['50102', '50112']);

/** A service that has a part of a chain was asked for records beside that part. */
export const NOT_HELD_CODE = '50052';

/**
 * Error codes as services of this kind send them; the interface names none. Codes that are not
 * here are judged by the HTTP status they come with.
 */
const DEFAULT_CODES: CodeTable = {
  // Too many requests, at HTTP 429 or 200.
  '50011': 'throttle',
  // Unavailable, timed out, busy, internal error.
  '50001': 'transient',
  '50004': 'transient',
  '50013': 'transient',
  '50026': 'transient',
  // Timestamp expired or wrong; key, signature, timestamp or passphrase missing; wrong ones.
  '50102': 'auth',
  '50103': 'auth',
  '50104': 'auth',
  '50105': 'auth',
  '50106': 'auth',
  '50107': 'auth',
  '50111': 'auth',
  '50112': 'auth',
  '50113': 'auth',
  // The key may not do this, or no longer.
  '50030': 'stop',
  '50043': 'stop',
  '50100': 'stop',
  // The request itself is wrong, so it would be wrong again.
  '50000': 'permanent',
  '50002': 'permanent',
  '50006': 'permanent',
  '50014': 'permanent',
  '50015': 'permanent',
  '50016': 'permanent',
  '50024': 'permanent',
  '50025': 'permanent',
  '50036': 'permanent',
  '50037': 'permanent',
  '50038': 'permanent',
  '50039': 'permanent',
  '50041': 'permanent',
  '50042': 'permanent',
  // No data for this height.
  '50040': 'empty',
};

/** The default table with a user's additions, which win. */
export function codeTable(additions: CodeTable = {}): CodeTable {
  return { ...DEFAULT_CODES, ...additions };
}
