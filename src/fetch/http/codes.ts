import type { CodeClass } from '../../pipeline/source-settings.ts';

/** The outcome of a request by the `code` of its reply. */
export type CodeTable = Readonly<Record<string, CodeClass>>;

/** Codes about the timestamp. The clock is corrected once before they count as `auth`. */
export const TIMESTAMP_CODES: ReadonlySet<string> = new Set(['50102', '50112']);

/** Sent by a service that has only a part of a chain, for a range beyond that part. */
export const NOT_AVAILABLE_CODE = '50052';

/**
 * Error codes of services of this kind; the interface documents none. Other codes are classified by
 * the HTTP status.
 */
const DEFAULT_CODES: CodeTable = {
  // Too many requests, at HTTP 429 or 200.
  '50011': 'throttle',
  // Unavailable, timed out, busy, internal error.
  '50001': 'transient',
  '50004': 'transient',
  '50013': 'transient',
  '50026': 'transient',
  // Timestamp expired or invalid; key, signature, timestamp or passphrase missing or invalid.
  '50102': 'auth',
  '50103': 'auth',
  '50104': 'auth',
  '50105': 'auth',
  '50106': 'auth',
  '50107': 'auth',
  '50111': 'auth',
  '50112': 'auth',
  '50113': 'auth',
  // The key lacks the permission, or has lost it.
  '50030': 'stop',
  '50043': 'stop',
  '50100': 'stop',
  // The request is invalid, so a retry would fail as well.
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

/** The default table merged with a user's additions, which take precedence. */
export function codeTable(additions: CodeTable = {}): CodeTable {
  return { ...DEFAULT_CODES, ...additions };
}
