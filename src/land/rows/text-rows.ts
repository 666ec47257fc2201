import type { Cell } from '../../catalogue/column-kind.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import { filledBy } from '../../catalogue/index.ts';
import type { TextFormat } from '../../catalogue/record-text.ts';
import type { List } from '../../coverage/list.ts';
import type { Claim } from '../rule/claim.ts';
import type { AddedTexts } from '../storage/appending.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { LIST_POSITION } from './columns.ts';
import type { TextRow } from './decode.ts';

/**
 * Rows that DuckDB decodes from the texts of their records. The SQL follows from the catalogue;
 * test/property/record-texts.test.ts compares its rows with those of `decode`.
 */

interface Group {
  readonly rowsOf: (texts: string) => string;
  readonly texts: string[];
  readonly lineageAt: number[];
}

/** What the rows of one walk have in common. */
interface OfWalk {
  readonly lineage: readonly Cell[];
  readonly groups: Map<TextFormat, Group>;
  /** Index of the lineage by occurrence, for rows without a list position. */
  readonly lineageAt: Map<number, number>;
}

/** Collects rows by their list and format, because these decide about their SQL. */
export class TextRowGroups {
  readonly #walks = new Map<Claim, OfWalk>();
  readonly #groups = new Map<string, Group>();
  readonly #lineages: Cell[][] = [];

  /** `lineage` are the cells of `WALK_COLUMNS`. */
  walk(claim: Claim, lineage: readonly Cell[]): void {
    this.#walks.set(claim, { lineage, groups: new Map(), lineageAt: new Map() });
  }

  /** Adds a row of one of the walks. */
  add(claim: Claim, row: TextRow): void {
    const { format, text } = row;
    const walk = this.#walks.get(claim);
    if (walk === undefined) throw new Error('a row of no walk of the commit');
    const group = walk.groups.get(format) ?? this.#groupOf(claim.list, format);
    walk.groups.set(format, group);
    group.texts.push(text);
    group.lineageAt.push(this.#lineageAt(walk, row));
  }

  all(): AddedTexts {
    const columns = LINEAGE_COLUMNS;
    return { groups: [...this.#groups.values()], lineages: { columns, rows: this.#lineages } };
  }

  #lineageAt({ lineage, lineageAt }: OfWalk, { occurrence, listPosition }: TextRow): number {
    const known = listPosition === null ? lineageAt.get(occurrence) : undefined;
    if (known !== undefined) return known;
    const place = listPosition === null ? null : BigInt(listPosition);
    const at = this.#lineages.push([...lineage, BigInt(occurrence), place]) - 1;
    if (listPosition === null) lineageAt.set(occurrence, at);
    return at;
  }

  #groupOf(list: List, format: TextFormat): Group {
    const rowsOf = (texts: string): string => decodingSql(list, format, texts);
    const name = rowsOf('texts');
    const known = this.#groups.get(name);
    if (known !== undefined) return known;
    const group = { rowsOf, texts: [], lineageAt: [] };
    this.#groups.set(name, group);
    return group;
  }
}

/** Lineage that all rows of a walk have. */
const WALK_COLUMNS = [
  { name: '_slice', type: 'VARCHAR' },
  { name: '_fetched_at', type: 'TIMESTAMPTZ' },
  { name: '_run', type: 'VARCHAR' },
] as const;

const LINEAGE_COLUMNS = [
  ...WALK_COLUMNS,
  { name: '_occurrence', type: 'BIGINT' },
  { name: LIST_POSITION, type: 'BIGINT' },
] as const;

/**
 * The query for rows of this list and format, given a relation of their texts. The list is constant
 * in it, so that a query for the rows of another list reads and decodes none of them.
 */
function decodingSql(list: List, format: TextFormat, texts: string): string {
  const { entry, filters, endpoint, variant } = list;
  const structure: Record<string, string> = {};
  const cells = new Map<string, string>();
  for (const field of entry.fields) {
    const name = format.names.get(field.column);
    if (name === undefined) continue;
    structure[name] = 'VARCHAR';
    const values = field.kind.usual.sql(`nullif(record.${identifier(name)}, '')`);
    columnsOf(field).forEach((column, i) => {
      cells.set(column.name, `CAST(${values[i] ?? 'NULL'} AS ${column.type})`);
    });
  }
  for (const [word, value] of filledBy(entry, filters)) {
    for (const { name, type } of columnsOf(word)) {
      cells.set(name, `CAST(${literal(value)} AS ${type})`);
    }
  }
  cells.set('_endpoint', literal(endpoint)).set('_variant', literal(variant));
  const decoded = [...cells].map(([column, sql]) => `${sql} AS ${identifier(column)}`);
  const lineage = LINEAGE_COLUMNS.map(({ name }) => name);
  const record = `json_transform(text, ${literal(JSON.stringify(structure))})`;
  return `SELECT ${[...decoded, ...lineage].join(', ')}
    FROM (SELECT ${record} AS record, lineage FROM ${texts})
    JOIN lineages ON lineages.id = lineage`;
}
