import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { curatedFiles } from '../../curate/curate.ts';
import { CURATED_TABLES } from '../../curate/curated-tables.ts';
import { dataOption, Fault, shellQuoted } from '../../fault.ts';
import { chainsIn, openLake } from '../../land/lake.ts';
import { layoutToRead } from '../../land/storage/cache-folder.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { literal } from '../../land/storage/sql-text.ts';
import { noLake } from '../../run/lake/lake-there.ts';
import { readyWarehouse } from '../../run/lake/ready-warehouse.ts';
import { systemEffects } from '../../system.ts';
import { surroundingsOf } from '../job/console-surroundings.ts';
import type { Console } from '../terminal/console.ts';
import { type Arguments, data } from '../terminal/options.ts';
import type { VerbResult } from '../terminal/verb-result.ts';

export const connectOptions = {
  options: {
    data,
  },
  examples: {
    '$0 connect': 'lines to paste into DuckDB, Python, Spark or ClickHouse',
  },
};

/** A raw or curated table, as other programs open it. */
export interface LakePlace {
  readonly chain: string;
  /** Its name; that of a dataset for raw tables. */
  readonly dataset: string;
  /** Absolute path of the Delta table. */
  readonly path: string;
}

export interface Recipe {
  readonly tool: string;
  readonly needs: string;
  /** Lines to paste unchanged. */
  readonly text: string;
}

/** Facts that readers need before they count or limit rows. */
const NOTES = [
  'The curated tables have each record once, joined over all lists: count and sum these. ' +
    'The views of the warehouse (windrow describe lists them) show the same rows, with labels.',
  'The tables below lake/ and the views lake.<dataset> are raw: one row per record and list. ' +
    'A record that several lists hold is there several times, and zone statuses are 0x1 and 0x0.',
  'DuckDB 1.5.2 to 1.5.6 can crash on LIMIT without ORDER BY over UNNEST and joins. The views ' +
    'avoid it. For queries of your own, run SET enable_caching_operators = false first. Releases ' +
    '1.4 do not know that setting and, like 2.0, do not need it.',
];

/** `windrow connect`: how other programs open this warehouse and this lake. */
export async function connectVerb(
  given: Arguments<typeof connectOptions>,
  output: Console,
): Promise<VerbResult> {
  const paths = await layoutToRead(given.data, process);
  const tables = await placesIn(given.data);
  if (tables.length === 0) throw await noLake(given.data, surroundingsOf(output).effects);
  const ready = await readyWarehouse(paths, surroundingsOf(output)).catch((error: unknown) => {
    // The tables can be opened without the warehouse.
    if (!(error instanceof Fault)) throw error;
    const reason = error.paragraph(dataOption(given.data));
    output.note(`The warehouse cannot be built: ${reason}`);
    return undefined;
  });
  const warehouse = resolve((ready ?? paths).warehouse);
  const curated = await curatedPlaces(given.data);
  // Rankings have no day.
  const dated = curated.filter(({ dataset }) => dataset !== 'native_holders');
  const example = dated.find(({ dataset }) => dataset === 'transactions') ?? dated[0];
  const made = example === undefined ? [] : recipes(warehouse, example);
  const placeText = ({ chain, dataset, path }: LakePlace) => `  ${chain} ${dataset}: ${path}`;
  const places = { data: resolve(given.data), warehouse, curated, tables };
  return {
    document: { ...places, notes: NOTES, recipes: made },
    lines: [
      `The warehouse, with all views: ${warehouse}`,
      'The curated tables, as Delta tables:',
      ...curated.map(placeText),
      'The raw tables below them, as Delta tables:',
      ...tables.map(placeText),
      ...NOTES.map((note) => `\n${note}`),
      ...made.map(({ tool, needs, text }) => `\n${tool} (${needs})\n${indented(text)}`),
    ],
    exitCode: 0,
  };
}

/** Curated tables with rows, those of the primary chain first. */
async function curatedPlaces(root: string): Promise<LakePlace[]> {
  const effects = systemEffects('warn');
  const places: LakePlace[] = [];
  for (const chains of await chainsIn(root, localDisk)) {
    const lake = await openLake({ root, chains, run: 'connect', effects, disk: localDisk });
    try {
      const files = await curatedFiles(lake);
      for (const { name, axis } of CURATED_TABLES) {
        if ((files.get(name) ?? []).length === 0) continue;
        const path = resolve(lake.curatedStorage(axis, name).folder);
        places.push({ chain: chains[axis], dataset: name, path });
      }
    } finally {
      lake.close();
    }
  }
  return places;
}

async function placesIn(root: string): Promise<LakePlace[]> {
  const effects = systemEffects('warn');
  const paths = layout(root);
  const places: LakePlace[] = [];
  for (const chains of await chainsIn(root, localDisk)) {
    const lake = await openLake({ root, chains, run: 'connect', effects, disk: localDisk });
    try {
      for (const { dataset } of await lake.tables()) {
        const chain = lake.chainOf(dataset.name);
        const path = resolve(paths.table(chain, dataset.name));
        places.push({ chain, dataset: dataset.name, path });
      }
    } finally {
      lake.close();
    }
  }
  return places;
}

/** Lines for each program, with one table as the example and paths quoted for its language. */
export function recipes(warehouse: string, { dataset, path }: LakePlace): Recipe[] {
  const perDay = (from: string): string =>
    `SELECT block_date, count(*) AS records FROM ${from} GROUP BY block_date ORDER BY block_date`;
  return [
    {
      tool: 'DuckDB',
      needs: '1.4 or newer; omit the second SET with versions other than 1.5',
      text: [
        `duckdb -readonly ${shellQuoted(warehouse)}`,
        "SET TimeZone = 'UTC';",
        'SET enable_caching_operators = false;',
        'FROM address_activity LIMIT 10;',
        `${perDay(dataset)};`,
        'INSTALL delta; LOAD delta;',
        `FROM delta_scan(${literal(path)}) LIMIT 10;`,
      ].join('\n'),
    },
    {
      tool: 'Python, duckdb',
      needs: 'pip install duckdb',
      text: [
        'import duckdb',
        `warehouse = duckdb.connect(${pythonQuoted(warehouse)}, read_only=True)`,
        `warehouse.execute("SET TimeZone = 'UTC'")`,
        "if duckdb.__version__.startswith('1.5'):",
        '    warehouse.execute("SET enable_caching_operators = false")',
        'warehouse.sql("FROM address_activity LIMIT 10").show()',
      ].join('\n'),
    },
    {
      tool: 'Python, polars',
      needs: 'pip install polars deltalake',
      text: [
        'import polars',
        `table = polars.scan_delta(${pythonQuoted(path)})`,
        "per_day = table.group_by('block_date').agg(polars.len().alias('records'))",
        "print(per_day.sort('block_date').collect())",
      ].join('\n'),
    },
    {
      tool: 'Python, pandas',
      needs: 'pip install pandas deltalake pyarrow',
      text: [
        'from deltalake import DeltaTable',
        `table = DeltaTable(${pythonQuoted(path)}).to_pandas()`,
      ].join('\n'),
    },
    {
      tool: 'Spark',
      needs: 'pyspark with --packages io.delta:delta-spark_2.13:VERSION that fits your Spark',
      text: [
        `table = spark.read.format("delta").load(${pythonQuoted(pathToFileURL(path).href)})`,
        'table.show(10)',
      ].join('\n'),
    },
    {
      tool: 'ClickHouse',
      needs: 'clickhouse local; a server reads only files below its user_files_path',
      text: perDay(`deltaLakeLocal(${clickHouseQuoted(path)})`),
    },
  ];
}

/** A JSON string is also a Python string. */
function pythonQuoted(path: string): string {
  return JSON.stringify(path);
}

function clickHouseQuoted(path: string): string {
  return `'${path.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

function indented(text: string): string {
  return text.replaceAll(/^/gm, '  ');
}
