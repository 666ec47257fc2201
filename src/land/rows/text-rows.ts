import type { Cell } from '../../catalogue/column-kind.ts';
import { columnsOf } from '../../catalogue/entry.ts';
import { filledBy } from '../../catalogue/index.ts';
import { EXTRA } from '../../catalogue/record.ts';
import type { TextFormat } from '../../catalogue/text-format.ts';
import type { List } from '../../coverage/list.ts';
import type { Claim, Walk } from '../rule/claim.ts';
import type { AddedTexts } from '../storage/appending.ts';
import { identifier, literal } from '../storage/sql-text.ts';
import { LIST_POSITION } from './columns.ts';
import type { Row } from './decode.ts';

/** Rows of one list and format, because these decide about their SQL. */
interface Group {
  readonly list: List;
  readonly rowsOf: (texts: string) => string;
  readonly texts: string[];
  readonly lineageAt: number[];
}

/** The rows of a commit with their lineage. DuckDB decodes them from the texts of their records. */
export function landingRows(
  inserts: readonly Walk<Row>[],
  walks: readonly { readonly claim: Claim; readonly slice: string }[],
  run: string,
): AddedTexts {
  const slices = new Map(walks.map(({ claim, slice }) => [claim, slice]));
  const groups = new Map<string, Group>();
  const lineages: Cell[][] = [];
  for (const { claim, records } of inserts) {
    const walk = [slices.get(claim) ?? '', BigInt(claim.readAtMs) * 1000n, run];
    const ofWalk = new Map<TextFormat, Group>();
    // Index of the lineage by occurrence, for rows without a list position.
    const shared = new Map<number, number>();
    for (const row of records) {
      const { format, text, occurrence, listPosition } = row;
      const group = ofWalk.get(format) ?? groupOf(groups, claim.list, row);
      ofWalk.set(format, group);
      let at = listPosition === null ? shared.get(occurrence) : undefined;
      if (at === undefined) {
        const place = listPosition === null ? null : BigInt(listPosition);
        at = lineages.push([...walk, BigInt(occurrence), place]) - 1;
        if (listPosition === null) shared.set(occurrence, at);
      }
      group.texts.push(text);
      group.lineageAt.push(at);
    }
  }
  return { groups: [...groups.values()], lineages: { columns: LINEAGE_COLUMNS, rows: lineages } };
}

function groupOf(groups: Map<string, Group>, list: List, row: Row): Group {
  const rowsOf = (texts: string): string => decodingSql(list, row, texts);
  const name = rowsOf('texts');
  const group = groups.get(name) ?? { list, rowsOf, texts: [], lineageAt: [] };
  groups.set(name, group);
  return group;
}

const LINEAGE_COLUMNS = [
  { name: '_slice', type: 'VARCHAR' },
  { name: '_fetched_at', type: 'TIMESTAMPTZ' },
  { name: '_run', type: 'VARCHAR' },
  { name: '_occurrence', type: 'BIGINT' },
  { name: LIST_POSITION, type: 'BIGINT' },
] as const;

/**
 * The query for the rows of this list that have the format of this row, given a relation of their
 * texts. The SQL follows from the catalogue; test/property/decode.test.ts compares its rows
 * with those of a plain model.
 */
function decodingSql(list: List, { format, height }: Row, texts: string): string {
  const { entry, filters, endpoint, variant, dataset } = list;
  const structure: Record<string, string> = {};
  const cells = new Map<string, string>();
  const member = (name: string): string => {
    structure[name] = 'VARCHAR';
    return `record.${identifier(name)}`;
  };
  for (const field of entry.fields) {
    const name = format.names.get(field.column);
    if (name === undefined) continue;
    const text = `nullif(${member(name)}, '')`;
    const isLowered = field.kind.isHex && !format.isRewritten;
    const values = field.kind.sql(isLowered ? `lower(${text})` : text);
    columnsOf(field).forEach((column, i) => {
      cells.set(column.name, `CAST(${values[i] ?? 'NULL'} AS ${column.type})`);
    });
  }
  if (format.isRewritten) cells.set(EXTRA, member(EXTRA));
  for (const [word, value] of filledBy(entry, filters)) {
    for (const { name, type } of columnsOf(word)) {
      cells.set(name, `CAST(${literal(value)} AS ${type})`);
    }
  }
  if (entry.list === 'snapshot') cells.set(dataset.heightColumn, `CAST(${height} AS BIGINT)`);
  cells.set('_endpoint', literal(endpoint)).set('_variant', literal(variant));
  const decoded = [...cells].map(([column, sql]) => `${sql} AS ${identifier(column)}`);
  const lineage = LINEAGE_COLUMNS.map(({ name }) => name);
  const record = `json_transform(text, ${literal(JSON.stringify(structure))})`;
  return `SELECT ${[...decoded, ...lineage].join(', ')}
    FROM (SELECT ${record} AS record, lineage FROM ${texts})
    JOIN lineages ON lineages.id = lineage`;
}
