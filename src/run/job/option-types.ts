import type { Format } from '../../export/formats/formats.ts';
import { Fault, suggestion } from '../../fault.ts';
import type { Narrowing } from '../../load/query/stream.ts';

type TypeName = 'text' | 'number' | 'boolean' | 'list' | 'object' | 'function';

/** Types of the options of the library. */
export const PIPELINE_TYPES = {
  sourceUrl: 'text',
  addresses: 'text',
  blocks: 'text',
  zoneBlocks: 'text',
  maxWait: 'text',
  stopWithin: 'text',
  maxRequests: 'text',
  for: 'text',
} as const;
export const RUN_TYPES = { ...PIPELINE_TYPES, signal: 'object' } as const;
export const RECONCILE_TYPES = { at: 'number', addresses: 'list', signal: 'object' } as const;
export const WITH_PIPELINE = { pipeline: 'text' } as const;

export const VERIFY_TYPES = { publicKey: 'text', data: 'text', witness: 'text' } as const;

export interface QueryOptions {
  /** A time, a run or a version of a raw table, as for `--as-of`. */
  readonly asOf?: string;
  /** Default: 10,000. */
  readonly maxRows?: number;
  /** Default: 60,000. */
  readonly timeoutMs?: number;
}

export interface ExportOptions extends Omit<Narrowing, 'order'> {
  /** A view of the warehouse, or one SELECT. */
  readonly from: { readonly view: string } | { readonly sql: string };
  /** Path of the file. */
  readonly file: string;
  /** Columns to order rows by; default: as `windrow export` orders them. */
  readonly order?: readonly string[];
  /** Default: parquet. */
  readonly format?: Format;
  readonly mayReplace?: boolean;
  readonly asOf?: string;
  /** Default: one hour. */
  readonly timeoutMs?: number;
}

export const EXPORT_TYPES = {
  format: 'text',
  mayReplace: 'boolean',
  asOf: 'text',
  timeoutMs: 'number',
  where: 'text',
  columns: 'list',
  order: 'list',
  limit: 'number',
} as const;

/**
 * Throws a usage fault for options of a script that are not known, of another type, or absent
 * although they are required. Scripts in JavaScript have no compiler that finds them, and a
 * misspelt option would have no effect.
 */
export function checkScriptOptions(
  options: object | null | undefined,
  types: Readonly<Record<string, TypeName>>,
  required: Readonly<Record<string, TypeName>> = {},
): void {
  const all = { ...required, ...types };
  const absent = Object.fromEntries(Object.keys(required).map((name) => [name, null]));
  const present = Object.entries(options ?? {}).filter(([, value]) => value !== undefined);
  for (const [name, value] of Object.entries({ ...absent, ...Object.fromEntries(present) })) {
    const type = all[name];
    if (type === undefined) {
      const advice = suggestion(name, Object.keys(all));
      throw new Fault('usage', `There is no option ${name} here.`, { advice });
    }
    if (typeOf(value) === type) continue;
    const message = `${name} is not of type ${type} (${String(value)}).`;
    throw new Fault('usage', message, { advice: `Give a value of type ${type}.` });
  }
}

/** A number counts something, so it is not below zero; a text is not empty. */
function typeOf(value: unknown): string {
  if (typeof value === 'string') return value === '' ? 'empty text' : 'text';
  if (Array.isArray(value)) return 'list';
  if (typeof value === 'number' && !(value >= 0)) return 'number below zero';
  return value === null ? 'null' : typeof value;
}
