/** Engines that read the Delta tables of a lake, and their words for the SQL of the warehouse. */

export const ENGINES = ['duckdb', 'spark', 'trino', 'clickhouse', 'polars'] as const;
export type Engine = (typeof ENGINES)[number];

/** An engine with SQL of its own. In templates, `$1` is the first argument and `$*` all of them. */
export interface Dialect {
  readonly title: string;
  /** The quotation mark of identifiers. */
  readonly quote: string;
  /** Whether a backslash in a text is written twice. */
  readonly hasEscapes: boolean;
  /** Types by their names in DuckDB. `DECIMAL` stands before its width and scale. */
  readonly types: Readonly<Record<string, string>>;
  /** A list of texts without a value. */
  readonly noList: string;
  /** A cast to a type, `$2`, and one that is NULL where it fails. */
  readonly cast: string;
  readonly tryCast: string;
  /** The text of a DECIMAL with all digits of its scale, `$2`. */
  readonly decimalText: string;
  /** A part of a replacement: `\1` of DuckDB. */
  readonly group: string;
  readonly functions: Readonly<Record<string, string>>;
  readonly database: 'DATABASE' | 'SCHEMA';
  /** The statement for the Delta table at a place. */
  readonly table: (name: string, place: string) => string;
}

const SPARK: Dialect = {
  title: 'Spark 4',
  quote: '`',
  database: 'DATABASE',
  hasEscapes: true,
  types: {
    BIGINT: 'BIGINT',
    BOOLEAN: 'BOOLEAN',
    DATE: 'DATE',
    DECIMAL: 'DECIMAL',
    DOUBLE: 'DOUBLE',
    HUGEINT: 'DECIMAL(38, 0)',
    INTEGER: 'INT',
    'TIMESTAMP WITH TIME ZONE': 'TIMESTAMP',
    VARCHAR: 'STRING',
  },
  noList: 'CAST(NULL AS ARRAY<STRING>)',
  cast: 'CAST($1 AS $2)',
  tryCast: 'TRY_CAST($1 AS $2)',
  decimalText: 'CAST($1 AS STRING)',
  group: '$',
  functions: {
    ...Object.fromEntries(
      ['count', 'lower', 'lpad', 'max', 'min', 'pow', 'repeat', 'replace', 'rpad', 'sum']
        .concat('regexp_replace', 'split_part', 'substr')
        .map((name) => [name, `${name}($*)`]),
    ),
    '~~': '($1 LIKE $2)',
    '!~~': '($1 NOT LIKE $2)',
    '%': '($1 % $2)',
    '+': '($1 + $2)',
    '-': '($1 - $2)',
    '/': '($1 / $2)',
    '//': '($1 div $2)',
    '||': 'concat($*)',
    arg_max: 'max_by($1, $2)',
    count_star: 'count(*)',
    epoch_ms: 'unix_millis($1)',
    fsum: 'sum($1)',
    len: 'length($1)',
    list_contains: 'array_contains($1, $2)',
    ltrim: 'trim(LEADING $2 FROM $1)',
    negative: '(-$1)',
    regexp_matches: 'regexp_like($1, $2)',
    rtrim: 'trim(TRAILING $2 FROM $1)',
  },
  table: (name, place) => `CREATE TABLE IF NOT EXISTS ${name} USING delta LOCATION ${place}`,
};

const TRINO: Dialect = {
  ...SPARK,
  title: 'Trino',
  quote: '"',
  database: 'SCHEMA',
  hasEscapes: false,
  types: {
    ...SPARK.types,
    INTEGER: 'INTEGER',
    'TIMESTAMP WITH TIME ZONE': 'TIMESTAMP(6) WITH TIME ZONE',
    VARCHAR: 'VARCHAR',
  },
  noList: 'CAST(NULL AS ARRAY(VARCHAR))',
  decimalText: 'CAST($1 AS VARCHAR)',
  functions: {
    ...SPARK.functions,
    '//': 'CAST(($1 - $1 % $2) / $2 AS DECIMAL(38, 0))',
    epoch_ms: 'CAST(to_unixtime($1) * 1000 AS BIGINT)',
    list_contains: 'contains($1, $2)',
    split_part: "CASE WHEN $1 IS NOT NULL THEN coalesce(split_part($1, $2, $3), '') END",
  },
  table: (name, place) => {
    const [schema, table] = name.replaceAll('"', "'").split('.');
    const named = `schema_name => ${schema}, table_name => ${table}`;
    return `CALL system.register_table(${named}, table_location => ${place})`;
  },
};

const CLICKHOUSE: Dialect = {
  ...SPARK,
  title: 'ClickHouse',
  types: {
    BIGINT: 'Int64',
    BOOLEAN: 'Bool',
    DATE: 'Date32',
    DECIMAL: 'Decimal',
    DOUBLE: 'Float64',
    HUGEINT: 'Int256',
    INTEGER: 'Int32',
    'TIMESTAMP WITH TIME ZONE': "DateTime64(6, 'UTC')",
    VARCHAR: 'String',
  },
  noList: 'emptyArrayString()',
  cast: 'CAST($1 AS Nullable($2))',
  tryCast: "accurateCastOrNull($1, '$2')",
  decimalText: 'toDecimalString($1, $2)',
  group: '\\',
  functions: {
    ...SPARK.functions,
    '//': 'intDiv($1, $2)',
    arg_max: 'argMax($1, $2)',
    epoch_ms: 'toUnixTimestamp64Milli($1)',
    fsum: 'sumKahan($1)',
    list_contains: 'has($1, $2)',
    regexp_matches: 'match($1, $2)',
    regexp_replace: 'replaceRegexpOne($1, $2, $3)',
    split_part: "if($1 IS NULL, NULL, arrayElement(splitByChar($2, ifNull($1, '')), $3))",
  },
  table: (name, place) => {
    const engine = place.includes('://') ? 'DeltaLake' : 'DeltaLakeLocal';
    return `CREATE OR REPLACE TABLE ${name} ENGINE = ${engine}(${place})`;
  },
};

/** For a lake in a store: elsewhere, DuckDB opens the warehouse itself. */
const DUCKDB: Dialect = {
  ...TRINO,
  title: 'DuckDB',
  types: { ...TRINO.types, HUGEINT: 'HUGEINT', 'TIMESTAMP WITH TIME ZONE': 'TIMESTAMPTZ' },
  noList: 'CAST(NULL AS VARCHAR[])',
  group: '\\',
  functions: {
    ...SPARK.functions,
    ...Object.fromEntries(
      ['epoch_ms', 'len', 'list_contains', 'ltrim', 'regexp_matches', 'rtrim'].map((name) => [
        name,
        `${name}($*)`,
      ]),
    ),
    '//': '($1 // $2)',
    '||': '($1 || $2)',
    fsum: 'sumKahan($1)',
  },
  table: (name, place) => `CREATE OR REPLACE VIEW ${name} AS FROM delta_scan(${place})`,
};

export const DIALECTS = {
  duckdb: DUCKDB,
  spark: SPARK,
  trino: TRINO,
  clickhouse: CLICKHOUSE,
} as const;

/** A template with these arguments. */
export function filledIn(template: string, args: readonly string[]): string {
  return template.replace(/\$(\d|\*)/g, (_, at: string) => {
    return at === '*' ? args.join(', ') : (args[Number(at) - 1] ?? '');
  });
}

/** A text as a literal. */
export function textLiteral({ hasEscapes }: Pick<Dialect, 'hasEscapes'>, text: string): string {
  const escaped = hasEscapes ? text.replaceAll('\\', '\\\\') : text;
  return `'${escaped.replaceAll("'", hasEscapes ? "\\'" : "''")}'`;
}

/** Digits of an amount before and behind its point, and of each of the limbs that hold both. */
const [WHOLE_DIGITS, SCALE, LIMB_DIGITS] = [78, 18, 24];

/**
 * The exact sum of texts of numbers without a sign, as a text. No engine but DuckDB has numbers of
 * this length, so limbs of their digits are added up, each as a whole number of 38 digits, and
 * carried. NULL if a text has more digits before or behind its point.
 */
export function exactTotal({ functions, types, cast, ...dialect }: Dialect, text: string): string {
  const call = (name: string, ...args: readonly string[]): string =>
    filledIn(functions[name] ?? '', args);
  const castTo = (type: string, value: string): string =>
    filledIn(cast, [value, types[type] ?? '']);
  const pattern = `^[0-9]{1,${WHOLE_DIGITS}}([.][0-9]{1,${SCALE}})?$`;
  const isFit = call('regexp_matches', text, textLiteral(dialect, pattern));
  const [whole, fraction] = ['1', '2'].map((part) => call('split_part', text, "'.'", part));
  const digits = `concat(${whole}, rpad(${fraction}, ${SCALE}, '0'))`;
  const padded = `lpad(${digits}, ${WHOLE_DIGITS + SCALE}, '0')`;
  const base = castTo('HUGEINT', `'1${'0'.repeat(LIMB_DIGITS)}'`);
  let total = '';
  const parts: string[] = [];
  for (let at = WHOLE_DIGITS + SCALE + 1 - LIMB_DIGITS; at > 0; at -= LIMB_DIGITS) {
    const limb = call('substr', padded, String(at), String(LIMB_DIGITS));
    const sum = `sum(${castTo('HUGEINT', `CASE WHEN ${isFit} THEN ${limb} END`)})`;
    total = total === '' ? sum : `(${sum} + ${call('//', total, base)})`;
    const rest = at === 1 ? total : call('%', total, base);
    const shown = castTo('VARCHAR', rest);
    parts.unshift(at === 1 ? shown : `lpad(${shown}, ${LIMB_DIGITS}, '0')`);
  }
  const joined = `concat(${parts.join(', ')})`;
  const point = textLiteral(dialect, `${dialect.group}1.${dialect.group}2`);
  const pointed = call('regexp_replace', joined, `'^0*([0-9]+)([0-9]{${SCALE}})$'`, point);
  const trimmed = call('rtrim', call('rtrim', pointed, "'0'"), "'.'");
  return `CASE WHEN count(${text}) = count(CASE WHEN ${isFit} THEN 1 END) THEN ${trimmed} END`;
}
