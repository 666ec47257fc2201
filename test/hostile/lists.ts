import type { Chain } from './chain.ts';
import { OPERATIONS } from './operations.ts';

/** Lists of the service, and what each of them holds of a chain. */

/** One record as a list shows it. */
export interface Entry {
  /** -1 for records that no block holds yet. */
  readonly height: number;
  readonly index: number;
  /** The keys under which the list shows it; `['']` for lists without keys. */
  readonly keys: readonly string[];
  readonly wire: Readonly<Record<string, unknown>>;
  /** By these, in the order of `ListKind.columns`, records are compared. */
  readonly cells: readonly string[];
}

export type Params = Readonly<Record<string, string>>;

export interface ListKind {
  readonly path: string;
  readonly chain: 'MAINCHAIN' | 'ZONECHAIN';
  /** Member of `data[0]`; absent where `data` is the list itself. */
  readonly list?: string;
  readonly pageMax: number;
  /** Member of `data[0]` that says how many records there are. */
  readonly total?: string;
  /** Name of the parameter that holds its keys. */
  readonly keyParam?: string;
  readonly isRanged: boolean;
  /** By the parameters that are neither keys, nor bounds, nor paging; ascending. */
  entries(chain: Chain, params: Params): readonly Entry[];
  /** Columns of the lake that hold the cells. */
  columns(params: Params): readonly string[];
}

const byPath = new Map(OPERATIONS.map((operation) => [operation.path, operation] as const));

/** Throws for a path that the service does not answer. */
export function listAt(path: string): ListKind {
  const kind = byPath.get(path);
  if (kind === undefined) throw new Error(`the hostile service has no ${path}`);
  return kind;
}

interface Held {
  readonly all: readonly Entry[];
  /** By key, in order of height; each entry under all of its keys. */
  readonly byKey: ReadonlyMap<string, readonly Entry[]>;
  /** Of several keys that were asked together, merged. */
  readonly groups: Map<string, readonly Entry[]>;
}

/** Computes the entries of each list of one chain once. */
export class Lists {
  readonly chain: Chain;
  readonly #held = new Map<string, Held>();

  constructor(chain: Chain) {
    this.chain = chain;
  }

  entries(kind: ListKind, params: Params): readonly Entry[] {
    return this.#heldBy(kind, params).all;
  }

  /** Of these keys, in order of height, each entry once. */
  ofKeys(kind: ListKind, params: Params, keys: readonly string[]): readonly Entry[] {
    const { byKey, groups } = this.#heldBy(kind, params);
    const [only] = keys;
    if (keys.length === 1 && only !== undefined) return byKey.get(only) ?? [];
    const group = keys.join();
    const cached = groups.get(group);
    if (cached !== undefined) return cached;
    const entries = new Set(keys.flatMap((key) => byKey.get(key) ?? []));
    const merged = [...entries].sort((a, b) => a.height - b.height || a.index - b.index);
    groups.set(group, merged);
    return merged;
  }

  /** Records of a list that no block holds yet. */
  pending(kind: ListKind): readonly Entry[] {
    return kind.entries({ ...this.chain, transactions: this.chain.pending }, {});
  }

  #heldBy(kind: ListKind, params: Params): Held {
    const names = ['protocolType', 'tokenContractAddress', 'minAmount', 'maxAmount'];
    const filters = names.filter((name) => name !== kind.keyParam).map((name) => params[name]);
    const id = `${kind.path}?${filters.join('&')}`;
    const cached = this.#held.get(id);
    if (cached !== undefined) return cached;
    const all = kind.entries(this.chain, params);
    const byKey = new Map<string, Entry[]>();
    for (const entry of all) {
      for (const key of entry.keys) {
        const entries = byKey.get(key) ?? [];
        entries.push(entry);
        byKey.set(key, entries);
      }
    }
    const held = { all, byKey, groups: new Map() };
    this.#held.set(id, held);
    return held;
  }
}
