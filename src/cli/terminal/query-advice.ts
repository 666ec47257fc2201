import { type Advice, Fault } from '../../fault.ts';
import { layout } from '../../land/storage/layout.ts';
import { type QueryRow, query } from '../../load/query/query.ts';

const NO_ACCESS = /Cannot access file "([^"]*)"/;
/** The path of a data file of a lake. */
const OF_A_LAKE = /\/(lake|curated)\/.*\.parquet$/;
/** Sums of DECIMAL(38,18) past 1e20, and texts that no DECIMAL holds. */
const TOO_LARGE =
  /Overflow in (HUGEINT|.*DECIMAL\(38\))|Could not convert string ".*" to DECIMAL\(38/;

/** Columns of other sites that no record has. */
const ABSENT =
  /^(evt_index|log_?index|trace_address|trace_id|(transaction_?|tx_)index|input|data|output)$/i;
const NO_COLUMN =
  /Referenced column "(\w+)" (?:was )?not found|does not have a column named "(\w+)"/;

/** The error that ended a query, with more specific advice than DuckDB's if windrow has any. */
export async function withAdvice(error: unknown, root: string, sql: string): Promise<unknown> {
  if (!(error instanceof Fault) || error.kind !== 'query') return error;
  const advice = await adviceOn(error.message, root, sql);
  return advice === undefined ? error : new Fault('query', error.message, { advice, cause: error });
}

async function adviceOn(message: string, root: string, sql: string): Promise<Advice | undefined> {
  if (TOO_LARGE.test(message)) return sumAdvice(await columnsOf(root, sql));
  const [, unqualified, qualified] = NO_COLUMN.exec(message) ?? [];
  const missing = unqualified ?? qualified;
  if (missing !== undefined && ABSENT.test(missing)) {
    return (
      `Explorers list records, not logs and inputs, so there is no ${missing}: ` +
      'docs/familiar-names.md says what to use instead.'
    );
  }
  if (missing !== undefined) return columnAdvice(missing, await columnsOf(root, sql));
  const file = NO_ACCESS.exec(message)?.[1];
  // Views name their files by absolute paths, so files of a lake mean that it was moved.
  if (file === undefined || OF_A_LAKE.test(file)) return undefined;
  return {
    text:
      'SQL here reads only the lake and files below its data root: copy the file to a folder ' +
      `below ${root}, or open the warehouse with DuckDB itself, which reads any file.`,
    command: 'windrow connect',
  };
}

function sumAdvice(columns: ColumnsByView): string {
  const prefix = [...columns.values()].some((names) => names.includes('signed_text'))
    ? 'signed'
    : 'amount';
  return (
    `Amounts past 1e20 do not fit a DECIMAL(38,18): use exact_sum(${prefix}_text) for the exact ` +
    `sum, or sum(${prefix}_double) for a rounded one.`
  );
}

/** Columns that hold amounts, or begin like the missing one. */
function columnAdvice(missing: string, columns: ColumnsByView): string | undefined {
  const [start = missing] = missing.toLowerCase().split('_');
  const lists = [...columns].flatMap(([view, names]) => {
    const near = names.filter((name) =>
      start === 'amount' ? /^(amount|signed)_/.test(name) : name.startsWith(start),
    );
    const like = near.length === 0 ? '' : ` It has ${near.join(', ')}.`;
    const has = names.includes(missing.toLowerCase());
    return has ? [] : [`${view} has no column ${missing}.${like} See windrow describe ${view}.`];
  });
  return lists.length === 0 ? undefined : lists.join(' ');
}

/** Columns by the view of the warehouse that has them. */
type ColumnsByView = ReadonlyMap<string, readonly string[]>;

/** The views that an SQL text names; none if the warehouse cannot be read. */
async function columnsOf(root: string, sql: string): Promise<ColumnsByView> {
  const { rows } = await query(layout(root).warehouse, COLUMNS).catch(() => ({ rows: [] }));
  const columns = new Map<string, string[]>();
  for (const { view, name } of rows) {
    if (!new RegExp(`\\b${String(view)}\\b`, 'i').test(sql)) continue;
    columns.set(String(view), [...(columns.get(String(view)) ?? []), String(name)]);
  }
  return columns;
}

const COLUMNS = `
  SELECT table_name AS view, column_name AS name FROM duckdb_columns()
  WHERE schema_name = 'main' AND database_name = current_database() AND NOT internal
  ORDER BY table_name, column_index`;

/** A hash or address with capitals in SQL text, where no macro that takes any case reads it. */
const CAPITALS = /(?<!\b(?:lower|label_of|addresses_in|complete_\w+)\(\s*)'(0x[0-9a-fA-F%_]*)'/gi;

/**
 * A hint for an empty answer to SQL that has a hash or an address with capitals: the lake stores
 * them in lower case. Undefined if the answer is not empty.
 */
export function capitalsHint(sql: string, rows: readonly QueryRow[]): string | undefined {
  const values = rows.flatMap((row) => Object.values(row));
  const isNothing = rows.length <= 1 && values.every((value) => value === null || value === 0);
  if (!isNothing) return undefined;
  const written = [...sql.matchAll(CAPITALS)].map(([, literal = '']) => literal);
  const found = written.find((literal) => /[A-F]/.test(literal));
  if (found === undefined) return undefined;
  return (
    `Addresses and hashes are stored in lower case, and nothing matched '${found}': write ` +
    `'${found.toLowerCase()}', or compare with lower('...').`
  );
}
