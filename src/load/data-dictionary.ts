import type { Description, SqlDescription } from './describe.ts';
import type { WarehouseRelation } from './warehouse-relations.ts';

/** A join of two tables: a row of `many` belongs to one row of `one`, if that was exported. */
export interface TableJoin {
  readonly one: string;
  readonly many: string;
  /** Columns of `one` and of `many` that are equal, in this order. */
  readonly on: readonly (readonly [one: string, many: string])[];
}

type Pairs = TableJoin['on'];

function join(one: string, many: string, on: Pairs): TableJoin {
  return { one, many, on };
}

const BLOCK: Pairs = [['block_number', 'block_number']];
const TRANSACTION: Pairs = [['tx_hash', 'tx_hash']];

/** How tables relate, for the diagram. Labels belong to every address and are left out. */
export const TABLE_JOINS: readonly TableJoin[] = [
  join('blocks', 'transactions', BLOCK),
  join('transactions', 'internal_transactions', TRANSACTION),
  join('transactions', 'token_transfers', TRANSACTION),
  join('transactions', 'address_activity', TRANSACTION),
  join('methods', 'transactions', [['method_id', 'method_id']]),
  join('tokens', 'token_transfers', [['token_address', 'token_address']]),
  join('tokens', 'token_balances', [['token_address', 'token_address']]),
  join('zone_blocks', 'zone_transactions', BLOCK),
  join('zone_transactions', 'cross_chain_transfers', [['tx_hash', 'zone_tx_hash']]),
  join('transactions', 'cross_chain_transfers', [['tx_hash', 'main_tx_hash']]),
  join('zone_transactions', 'cross_chain_journeys', [['tx_hash', 'zone_tx_hash']]),
  join('transactions', 'cross_chain_journeys', [['tx_hash', 'main_tx_hash']]),
  join('labels', 'address_activity', [['address', 'address']]),
  join('daily_address_summary', 'address_activity', [
    ['address', 'address'],
    ['axis', 'axis'],
    ['day', 'block_date'],
  ]),
  join('token_balances', 'address_activity', [
    ['address', 'address'],
    ['axis', 'axis'],
    ['token_address', 'token_address'],
  ]),
];

const HEAD = `# Data dictionary

Written by \`npx windrow describe --markdown\` from the comments in the warehouse. \`npx windrow
describe NAME\` prints one of these entries. Times are UTC, and \`0x...\` stands for an address of
your own.
`;

/**
 * The data dictionary as a page of Markdown: how tables relate, the views with columns, types and
 * examples, macros with signatures, and the tables as they are on disk.
 */
export function dataDictionary(docs: Description, relations: readonly WarehouseRelation[]): string {
  const lake = relations.filter(({ name }) => /^lake\./.test(name));
  const curated = relations.filter(({ name }) => /^curated\./.test(name));
  const views = new Map(docs.views.map((view) => [`curated.${view.name}`, view.columns]));
  const viewOf = (name: string) => views.get(name) ?? views.get(name.replace('.zone_', '.'));
  const shared = sharedColumns(lake);
  return [
    HEAD,
    `## How tables relate\n\n${diagram()}`,
    '`labels` belongs to every address, `coverage` to every list of records.\n',
    `## Views\n\n${docs.views.map(viewEntry).join('\n')}`,
    `## Macros\n\n${docs.macros
      .filter(({ example }) => example !== '')
      .map(macroEntry)
      .join('\n')}`,
    '## Familiar names\n',
    'The same rows under the names of other sites, see [familiar-names.md](familiar-names.md). A',
    'name in place of a meaning is that of the same column in the views above.\n',
    docs.familiar
      .map((view) => viewEntry({ ...view, columns: view.columns.map(renamed) }))
      .join('\n'),
    '## Tables on disk\n',
    'The curated tables, as other programs read them. The views of the same names (or of those',
    'without `zone_`) describe these columns; a type is that of the view, unless it is given.\n',
    curated.map((table) => tableEntry(table, viewOf(table.name))).join('\n'),
    '## Raw tables\n',
    'One row per record and list, and tables about the lake itself. Count and sum views. Columns',
    'that several of them have, with one meaning:\n',
    columnTable([...shared.values()]),
    lake.map((table) => rawTableEntry(table, shared)).join('\n'),
  ].join('\n');
}

function diagram(): string {
  const lines = TABLE_JOINS.map(({ one, many, on }) => {
    const columns = on.map(([left, right]) => (left === right ? left : `${left} = ${right}`));
    return `  ${one} |o--o{ ${many} : "${columns.join(', ')}"`;
  });
  return ['```mermaid', 'erDiagram', '  direction LR', ...lines, '```', ''].join('\n');
}

function viewEntry({ name, alias, meaning, example, columns }: SqlDescription): string {
  const also = alias === '' ? '' : `Also \`${alias}\`. `;
  return [`### ${name}\n`, `${also}${cell(meaning)}\n`, fenced(example), columnTable(columns)].join(
    '\n',
  );
}

/** A column that only renames one of a view, with the name of that column as its meaning. */
function renamed(column: Column): Column {
  const name = / \(from ([a-z_]+)\)$/.exec(column.meaning)?.[1];
  return name === undefined ? column : { ...column, meaning: `\`${name}\`` };
}

function macroEntry({ signature, meaning, example, sql }: SqlDescription): string {
  const kind = / AS TABLE\b/.test(sql) ? ' gives a table' : '';
  return [
    `### ${signature.replace(/\(.*/, '')}\n`,
    `\`${signature}\`${kind}\n`,
    `${cell(meaning)}\n`,
  ]
    .concat(fenced(example))
    .join('\n');
}

function tableEntry({ name, meaning, columns }: WarehouseRelation, ofView?: Columns): string {
  if (ofView === undefined) return `### ${name}\n\n${cell(meaning)}\n\n${columnTable(columns)}`;
  const types = new Map(ofView.map((column) => [column.name, column.type]));
  const names = columns.map((column) => {
    const isOther = types.get(column.name) !== column.type;
    return `\`${column.name}\`${isOther ? ` ${shortType(column.type)}` : ''}`;
  });
  return `### ${name}\n\n${names.join(', ')}\n`;
}

type Columns = WarehouseRelation['columns'];
type Column = Columns[number];

const MIN_TABLES = 2;

function columnKey({ name, type, meaning }: Column): string {
  return JSON.stringify([name, type, meaning]);
}

/** Columns that several tables have with one name, type and meaning, by these; one per name. */
function sharedColumns(tables: readonly WarehouseRelation[]): ReadonlyMap<string, Column> {
  const columns = tables.flatMap((table) => table.columns);
  const counts = new Map<string, number>();
  for (const column of columns) {
    counts.set(columnKey(column), (counts.get(columnKey(column)) ?? 0) + 1);
  }
  const shared = columns.filter((column) => (counts.get(columnKey(column)) ?? 0) >= MIN_TABLES);
  const byName = new Map(shared.map((column) => [column.name, column]));
  return new Map([...byName.values()].map((column) => [columnKey(column), column]));
}

/** A raw table: its shared columns by name alone, as they are described once above all tables. */
function rawTableEntry(table: WarehouseRelation, shared: ReadonlyMap<string, Column>): string {
  const names = table.columns
    .filter((column) => shared.has(columnKey(column)))
    .map(({ name }) => `\`${name}\``);
  const rest = table.columns.filter((column) => !shared.has(columnKey(column)));
  return [
    `### ${table.name}\n`,
    `${cell(table.meaning)}\n`,
    ...(names.length === 0 ? [] : [`Shared columns: ${names.join(', ')}.\n`]),
    ...(rest.length === 0 ? [] : [columnTable(rest)]),
  ].join('\n');
}

function fenced(sql: string): string {
  return `\`\`\`sql\n${sql};\n\`\`\`\n`;
}

function columnTable(columns: Columns): string {
  const rows = columns.map(({ name, type, meaning }) => {
    return `| \`${name}\` | ${shortType(type)} | ${cell(meaning)} |`;
  });
  return ['| column | type | meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

function shortType(type: string): string {
  return type.replace('TIMESTAMP WITH TIME ZONE', 'TIMESTAMPTZ');
}

/** Text in a cell of a table: bars would end the cell, and tags would be markup. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<');
}
