import { factsOf, type ListFacts } from './lists.ts';

/** Rows with all values as text, as DuckDB spells them. */
export type Text = string | null;
export type Row = Readonly<Record<string, Text>>;

/** The status of one key of a list on an interval, as the log of its table has it. */
export interface Entry {
  readonly endpoint: string;
  readonly variant: string;
  readonly key: string;
  readonly from: number;
  readonly to: number;
  readonly status: string;
}

/** The raw tables of a lake at one version each. */
export interface Raw {
  readonly dataset: string;
  readonly rows: readonly Row[];
  readonly coverage: readonly Entry[];
}

/** A raw row with the height, the list, and the coverage status of the list there. */
export interface Marked {
  readonly row: Row;
  readonly height: number;
  readonly list: ListFacts;
  readonly rank: number;
}

const STATUSES = [
  'complete',
  'provisional',
  'truncated',
  'depth_limited',
  'inconsistent',
  'failed',
  'none',
];
/** Rank of heights without coverage. */
export const NONE = 7;

export function statusOf(rank: number): string {
  return STATUSES[rank - 1] ?? 'none';
}

export function rankOf(status: Text | undefined): number {
  const at = STATUSES.indexOf(status ?? '');
  return at < 0 ? NONE : at + 1;
}

/** The addresses that a party's text names, each once. */
export function addressesOf(party: Text | undefined): string[] {
  const parts = (party ?? '').toLowerCase().split(',');
  return [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))];
}

interface Span {
  readonly list: ListFacts;
  readonly from: number;
  readonly to: number;
  readonly rank: number;
}

/** All that the rule knows of rows and coverage. */
export class Known {
  readonly #rows = new Map<string, readonly Marked[]>();
  /** By dataset, kind of key and key. */
  readonly #spans = new Map<string, Span[]>();
  /** Addresses that were asked for. */
  readonly followed = new Set<string>();

  constructor(tables: readonly Raw[], heightColumns: Readonly<Record<string, string>>) {
    for (const { dataset, coverage } of tables) {
      for (const entry of coverage) this.#cover(dataset, entry);
    }
    for (const { dataset, rows } of tables) {
      const heightColumn = heightColumns[dataset] ?? 'block_number';
      this.#rows.set(
        dataset,
        rows.map((row) => this.#marked(dataset, row, Number(row[heightColumn]))),
      );
    }
  }

  #cover(dataset: string, { endpoint, variant, key, from, to, status }: Entry): void {
    const list = factsOf(dataset, endpoint, variant);
    if (list.kind === 'address') this.followed.add(key);
    const id = `${dataset} ${list.kind} ${key}`;
    const spans = this.#spans.get(id) ?? [];
    spans.push({ list, from, to, rank: STATUSES.indexOf(status) + 1 });
    this.#spans.set(id, spans);
  }

  #marked(dataset: string, row: Row, height: number): Marked {
    const list = factsOf(dataset, row['_endpoint'] ?? '', row['_variant'] ?? '');
    const named = list.columns.flatMap((column) =>
      list.kind === 'address' ? addressesOf(row[column]) : [row[column] ?? ''],
    );
    const keys = list.kind === 'all' ? [''] : named;
    const ranks = keys.flatMap((key) =>
      this.#at(dataset, list.kind, key, height)
        .filter((span) => span.list === list)
        .map(({ rank }) => rank),
    );
    // A row of a look-up completes it, unless the look-up is open at its height.
    const rank = list.kind === 'transaction' ? (ranks[0] ?? 1) : Math.min(NONE, ...ranks);
    return { row, height, list, rank };
  }

  #at(dataset: string, kind: string, key: string, height: number): Span[] {
    const spans = this.#spans.get(`${dataset} ${kind} ${key}`) ?? [];
    return spans.filter(({ from, to }) => from <= height && height <= to);
  }

  rows(dataset: string): readonly Marked[] {
    return this.#rows.get(dataset) ?? [];
  }

  /** Filters of the complete look-ups of a transaction: with a row at this height, or with none. */
  lookUps(dataset: string, hash: Text, height: number): ListFacts['filters'][] {
    const without = this.#at(dataset, 'transaction', hash ?? '', height);
    const rows = this.rows(dataset)
      .filter((record) => record.list.kind === 'transaction')
      .filter(
        (record) => record.height === height && record.row[record.list.columns[0] ?? ''] === hash,
      );
    return [...rows, ...without].filter(({ rank }) => rank === 1).map(({ list }) => list.filters);
  }

  /**
   * The best status of an address at a height, over all lists that hold its records on this side
   * which have these values.
   */
  ofAddress(aspect: Aspect, address: string, side: 'from' | 'to'): number {
    const spans = this.#at(aspect.dataset, 'address', address, aspect.height).filter(({ list }) => {
      const { columns } = list;
      const isOneSided = columns.length === 1 && columns[0] !== `${side}_address`;
      return holdsAll(list, aspect.values) && !isOneSided;
    });
    return Math.min(NONE, ...spans.map(({ rank }) => rank));
  }

  /** The best status of the whole chain at a height, for records with these values. */
  ofChain(aspect: Aspect): number {
    const spans = this.#at(aspect.dataset, 'all', '', aspect.height);
    const holding = spans.filter(({ list }) => holdsAll(list, aspect.values));
    return Math.min(NONE, ...holding.map(({ rank }) => rank));
  }
}

/** Records of a dataset at a height that have the same values in filtered columns. */
export interface Aspect {
  readonly dataset: string;
  readonly height: number;
  readonly values: Row;
}

function holdsAll(list: ListFacts, values: Row): boolean {
  return Object.entries(list.filters).every(([column, value]) => values[column] === value);
}
