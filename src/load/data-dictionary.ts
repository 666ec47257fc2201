import type { Description, SqlDescription } from './describe.ts';
import type { WarehouseRelation } from './warehouse-relations.ts';

/** A join of two tables: a row of `many` belongs to one row of `one`, if that was exported. */
export interface TableJoin {
  readonly one: string;
  readonly many: string;
  /** Columns of `one` and of `many` that are equal, in this order. */
  readonly on: readonly (readonly [one: string, many: string])[];
}

type Columns = TableJoin['on'];

function join(one: string, many: string, on: Columns): TableJoin {
  return { one, many, on };
}

const BLOCK: Columns = [['block_number', 'block_number']];
const TRANSACTION: Columns = [['tx_hash', 'tx_hash']];

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
export function dataDictionary(of: Description, relations: readonly WarehouseRelation[]): string {
  const lake = relations.filter(({ name }) => /^lake\./.test(name));
  const curated = relations.filter(({ name }) => /^curated\./.test(name));
  const shown = new Set(of.views.map(({ name }) => `curated.${name}`));
  return [
    HEAD,
    `## How tables relate\n\n${diagram()}`,
    '`labels` belongs to every address, `coverage` to every list of records.\n',
    `## Views\n\n${of.views.map(viewEntry).join('\n')}`,
    `## Macros\n\n${of.macros
      .filter(({ example }) => example !== '')
      .map(macroEntry)
      .join('\n')}`,
    '## Familiar names\n',
    'The same rows under the names of other sites, see [familiar-names.md](familiar-names.md).\n',
    of.familiar.map(viewEntry).join('\n'),
    '## Tables on disk\n',
    'The curated tables, as other programs read them. The views of the same names have these',
    'columns, too.\n',
    curated.map((each) => tableEntry(each, shown.has(each.name))).join('\n'),
    '## Raw tables\n',
    'One row per record and list, and tables about the lake itself. Count and sum views.\n',
    lake.map((each) => tableEntry(each)).join('\n'),
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

function tableEntry({ name, meaning, columns }: WarehouseRelation, isShort = false): string {
  const head = `### ${name}\n\n${cell(meaning)}\n`;
  const names = columns.map((column) => `\`${column.name}\` ${column.type}`).join(', ');
  return isShort ? `${head}\n${names}\n` : `${head}\n${columnTable(columns)}`;
}

function fenced(sql: string): string {
  return `\`\`\`sql\n${sql};\n\`\`\`\n`;
}

function columnTable(columns: WarehouseRelation['columns']): string {
  const rows = columns.map(({ name, type, meaning }) => {
    return `| \`${name}\` | ${type} | ${cell(meaning)} |`;
  });
  return ['| column | type | meaning |', '|---|---|---|', ...rows, ''].join('\n');
}

/** Text in a cell of a table: bars would end the cell, and tags would be markup. */
function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('<', '\\<');
}
