import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { curatedTable } from '../../curate/curate-axis.ts';
import { CURATED_TABLES } from '../../curate/curated-tables.ts';
import type { Effects } from '../../effects.ts';
import { pythonLiteral } from '../../export/notebook/notebook.ts';
import { Fault, shellQuoted } from '../../fault.ts';
import { COVERAGE } from '../../land/coverage-index.ts';
import { type Chains, chainsIn, withLake } from '../../land/lake.ts';
import { withAddresses } from '../../land/places/mounts.ts';
import { layoutToRead } from '../../land/storage/cache-folder.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { literal } from '../../land/storage/sql-text.ts';
import { ENGINES, type Engine } from '../../load/engines/dialects.ts';
import {
  type DeltaPlace,
  type EngineScript,
  engineScript,
} from '../../load/engines/engine-script.ts';
import { noLake } from '../../run/lake/lake-there.ts';
import { readyWarehouse } from '../../run/lake/ready-warehouse.ts';
import { chainsToShow } from '../../run/lake/rebuild-warehouse.ts';
import { many } from '../terminal/console.ts';
import { choice, data, textOption } from '../terminal/options.ts';
import type { VerbOf, VerbResult } from '../terminal/verb-result.ts';

export const connectOptions = {
  options: {
    data,
    as: choice('Print the statements that show the warehouse in this engine', ENGINES),
    out: textOption('Folder for a file with these statements'),
    chain: textOption('Chain to show there, if the lake has several'),
  },
  examples: {
    '$0 connect': 'lines to paste into DuckDB and Python',
    '$0 connect --as spark': 'tables and views of the warehouse, as SQL of Spark',
  },
};

/** A raw or curated table, as other programs open it. */
export interface LakePlace {
  readonly chain: string;
  /** Its name; that of a dataset for raw tables. */
  readonly dataset: string;
  /** Absolute path of the Delta table. */
  readonly path: string;
  readonly isCurated: boolean;
  readonly hasRows: boolean;
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
  'Spark, Trino, ClickHouse and polars: windrow connect --as ENGINE writes their statements.',
  'DuckDB 1.5.2 to 1.5.6 can crash on LIMIT without ORDER BY over UNNEST and joins. The views ' +
    'avoid it. For queries of your own, run SET enable_caching_operators = false first. Releases ' +
    '1.4 do not know that setting and, like 2.0, do not need it.',
];

/** `windrow connect`: how other programs open this warehouse and this lake. */
export const connectVerb: VerbOf<typeof connectOptions> = async (input, output) => {
  const paths = await layoutToRead(input.data, process);
  const { effects } = output;
  const { as, out } = input;
  const pairs =
    as === undefined
      ? await chainsIn(input.data, localDisk)
      : [await chainsToShow(input.data, input.chain, effects)];
  const places = await placesIn(input.data, pairs, effects);
  if (places.length === 0) throw await noLake(input.data, effects);
  const ready = await readyWarehouse(paths, output).catch((error: unknown) => {
    // The tables can be opened without the warehouse.
    if (!(error instanceof Fault)) throw error;
    const reason = error.paragraph(output);
    output.note(`The warehouse cannot be built: ${reason}`);
    return undefined;
  });
  const warehouse = resolve((ready ?? paths).warehouse);
  if (as !== undefined) return scriptFor({ engine: as, out, warehouse }, places);
  const curated = places.filter(({ isCurated }) => isCurated);
  const tables = places.filter(({ isCurated }) => !isCurated);
  // Rankings have no day.
  const dated = curated.filter(({ dataset }) => dataset !== 'native_holders');
  const example = dated.find(({ dataset }) => dataset === 'transactions') ?? dated[0];
  const made = example === undefined ? [] : recipes(warehouse, example);
  const placeText = ({ chain, dataset, path }: LakePlace) => `  ${chain} ${dataset}: ${path}`;
  const contents = { curated, tables, notes: NOTES, recipes: made };
  return {
    document: { data: resolve(input.data), warehouse, ...contents },
    lines: [
      `The warehouse, with all views: ${warehouse}`,
      'The curated tables, as Delta tables:',
      ...curated.map(placeText),
      'The raw tables below them, as Delta tables:',
      ...tables.map(placeText),
      ...NOTES.map((note) => `\n${note}`),
      ...made.map(
        ({ tool, needs, text }) => `\n${tool} (${needs})\n${text.replaceAll(/^/gm, '  ')}`,
      ),
    ],
    exitCode: 0,
  };
};

/** The tables of a lake: the curated ones with rows, and all others. */
async function placesIn(
  root: string,
  pairs: readonly Chains[],
  effects: Effects,
): Promise<LakePlace[]> {
  const places = new Map<string, LakePlace>();
  for (const chains of pairs) {
    await withLake({ root, chains, run: 'connect', effects }, async (lake) => {
      const curated = CURATED_TABLES.map((table) => curatedTable(lake, table));
      for (const stored of [...curated, ...(await lake.storedTables())]) {
        const isCurated = curated.includes(stored);
        const hasRows = (await stored.snapshot()).files.size > 0;
        if (isCurated && !hasRows) continue;
        const folder = resolve(stored.folder);
        const chain = basename(dirname(folder));
        // Copies on this machine are those of some files alone.
        const path = withAddresses(folder);
        places.set(path, { chain, dataset: stored.shape.name, path, isCurated, hasRows });
      }
    });
  }
  return [...places.values()];
}

/** The statements for one engine, printed or as a file in a folder. */
async function scriptFor(
  { engine, out, warehouse }: { engine: Engine; out: string | undefined; warehouse: string },
  all: readonly LakePlace[],
): Promise<VerbResult> {
  const places = all
    .filter(({ hasRows }) => hasRows)
    .map(({ chain, dataset: name, path, isCurated }): DeltaPlace => {
      const schema = isCurated ? 'curated' : name === COVERAGE ? 'files' : 'lake';
      return { schema, name, chain, place: placeFor(engine, path) };
    });
  const { statements, absent } = await statementsFor(engine, warehouse, places);
  const document = { engine, statements, absent: Object.fromEntries(absent) };
  const comments = [...absent].map(([view, reason]) => `-- Absent: ${view}. ${reason}`);
  const lines = [...statements, ...comments];
  if (out === undefined) return { document, lines, exitCode: 0 };
  const file = join(out, `windrow-${engine}.${engine === 'polars' ? 'py' : 'sql'}`);
  await localDisk.makeFolder(out);
  await localDisk.put(file, `${lines.join('\n\n')}\n`);
  const counts = `${many(statements.length, 'statement')}, ${many(absent.size, 'absent view')}`;
  return { document: { ...document, file }, lines: [`${file}: ${counts}`], exitCode: 0 };
}

/** The place of a table as the engine names it. */
function placeFor(engine: Engine, path: string): string {
  if (path.includes('://')) return engine === 'spark' ? path.replace(/^s3:/, 's3a:') : path;
  return engine === 'spark' || engine === 'trino' ? pathToFileURL(path).href : path;
}

async function statementsFor(
  engine: Engine,
  warehouse: string,
  places: readonly DeltaPlace[],
): Promise<EngineScript> {
  const [{ place = '' } = {}] = places;
  if (engine === 'duckdb' && place.startsWith('s3://')) {
    const { statements, absent } = await engineScript(engine, places);
    return { statements: [...duckdbSetup(process.env), ...statements], absent };
  }
  if (engine === 'duckdb') {
    const attached = `ATTACH ${literal(warehouse)} AS windrow (READ_ONLY);`;
    return { statements: ["SET TimeZone = 'UTC';", attached, 'USE windrow;'], absent: new Map() };
  }
  if (engine !== 'polars') return engineScript(engine, places);
  const tables = places.map(({ schema, name, chain, place }) => {
    const key = pythonLiteral([schema, chain, name].join('.'));
    return `tables[${key}] = polars.scan_delta(${pythonLiteral(place)})`;
  });
  const note = '# polars has no SQL for the views of the warehouse: windrow query answers them.';
  return { statements: ['import polars', note, 'tables = {}', ...tables], absent: new Map() };
}

/** Statements with which DuckDB reads the store of this environment, with its credentials. */
function duckdbSetup(env: NodeJS.ProcessEnv): string[] {
  const url = env['AWS_ENDPOINT_URL_S3'] || env['AWS_ENDPOINT_URL'];
  const { host, protocol } = new URL(url || 'https://s3.amazonaws.com');
  const isSafe = protocol === 'https:';
  const endpoint = `, ENDPOINT ${literal(host)}, URL_STYLE 'path', USE_SSL ${isSafe}`;
  const secret = `TYPE s3, PROVIDER credential_chain${url ? endpoint : ''}`;
  return [
    "SET TimeZone = 'UTC';",
    ...['httpfs', 'aws', 'delta'].map((name) => `INSTALL ${name}; LOAD ${name};`),
    `CREATE OR REPLACE SECRET windrow (${secret});`,
  ];
}

/** Lines for each program, with one table as the example and paths quoted for its language. */
export function recipes(
  warehouse: string,
  { dataset, path }: Pick<LakePlace, 'dataset' | 'path'>,
): Recipe[] {
  const perDay =
    `SELECT block_date, count(*) AS records FROM ${dataset} ` +
    'GROUP BY block_date ORDER BY block_date;';
  return [
    {
      tool: 'DuckDB',
      needs: '1.4 or newer; omit the second SET with versions other than 1.5',
      text: [
        `duckdb -readonly ${shellQuoted(warehouse)}`,
        "SET TimeZone = 'UTC';",
        'SET enable_caching_operators = false;',
        'FROM address_activity LIMIT 10;',
        perDay,
        'INSTALL delta; LOAD delta;',
        `FROM delta_scan(${literal(path)}) LIMIT 10;`,
      ].join('\n'),
    },
    {
      tool: 'Python, duckdb',
      needs: 'pip install duckdb pytz',
      text: [
        'import duckdb',
        `warehouse = duckdb.connect(${pythonLiteral(warehouse)}, read_only=True)`,
        `warehouse.execute("SET TimeZone = 'UTC'")`,
        "if duckdb.__version__.startswith('1.5'):",
        '    warehouse.execute("SET enable_caching_operators = false")',
        'warehouse.sql("FROM address_activity LIMIT 10").show()',
      ].join('\n'),
    },
    {
      tool: 'Python, pandas',
      needs: 'pip install pandas deltalake pyarrow',
      text: [
        'from deltalake import DeltaTable',
        `table = DeltaTable(${pythonLiteral(path)}).to_pandas()`,
      ].join('\n'),
    },
  ];
}
