import type { ColumnWord } from '../entry.ts';
import type { FormName } from './rpc-form.ts';

/**
 * The second kind of entry: a method of the public JSON-RPC endpoint. The client, the tables, the
 * service and the documents of the interface share it, as they share endpoints.
 */
export interface RpcMethod {
  /** The name on the wire, which is also that of the entry's file, with hyphens. */
  readonly method: string;
  readonly summary: string;
  /** Parameters by position. */
  readonly params: readonly RpcParam[];
  /** A `value` is a single text; an `object` has the members of `fields`, or is null. */
  readonly result: 'value' | 'object';
  readonly fields: readonly RpcField[];
  /** The table of the results (`PENDING_TABLES`). */
  readonly table: string;
}

export type RpcParam = {
  readonly name: string;
  readonly required: boolean;
  readonly meaning: string;
} & (
  | { readonly type: 'address' | 'hash'; readonly column: ColumnWord }
  /** A height in hex, or a tag: `latest` where the parameter is absent. */
  | { readonly type: 'block' }
  | { readonly type: 'flag' }
  /** An object with `to` and `data`. */
  | { readonly type: 'call'; readonly to: ColumnWord; readonly data: ColumnWord }
);

/** A member of a result, and the column that it lands in; a member may have two columns. */
export interface RpcField extends ColumnWord {
  /** '' for a result that is the value itself. */
  readonly wire: string;
  readonly form: FormName;
}

export function rpcMethod<const M extends RpcMethod>(entry: M): M {
  return entry;
}

/** A member of a result. */
export function member(wire: string, form: FormName, column: ColumnWord): RpcField {
  return { ...column, wire, form };
}
