import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The log of a Delta table, read by the protocol's words alone and without windrow's code: entries
 * in the order of their versions, `add` puts a file into the table, `remove` takes it out.
 */

/** Tables beside the datasets: an index of the logs, what broke its contract, what is pending. */
const NO_DATASETS = [
  'coverage',
  'quarantine',
  'pending_transactions',
  'check_evidence',
  'zone_check_evidence',
];

/** The tables below a folder of chains, by `chain/dataset`. */
export async function tableFolders(place) {
  const folders = new Map();
  for (const chain of (await readdir(place)).sort()) {
    for (const dataset of (await readdir(join(place, chain))).sort()) {
      const folder = join(place, chain, dataset);
      if (NO_DATASETS.includes(dataset) || /^empty_look_ups_/.test(dataset)) continue;
      if ((await readdir(folder)).includes('_delta_log'))
        folders.set(`${chain}/${dataset}`, folder);
    }
  }
  return folders;
}

/**
 * What the log says of the newest version, or of an older one; heights stand in column
 * `heightColumn`.
 */
export async function readLog(folder, heightColumn, version = Number.POSITIVE_INFINITY) {
  const log = join(folder, '_delta_log');
  const entries = (await entriesOf(folder)).slice(0, version + 1);
  const files = new Map();
  const operations = [];
  let columns = {};
  let removed = 0;
  for (const entry of entries) {
    for (const line of (await readFile(join(log, entry), 'utf8')).split('\n')) {
      if (line === '') continue;
      const { add, remove, metaData, commitInfo } = JSON.parse(line);
      if (commitInfo !== undefined) operations.push(commitInfo.operation);
      if (metaData !== undefined) columns = kindsOf(JSON.parse(metaData.schemaString));
      if (remove !== undefined) {
        files.delete(decodeURIComponent(remove.path));
        removed += 1;
      }
      if (add !== undefined) files.set(decodeURIComponent(add.path), JSON.parse(add.stats));
    }
  }
  const stats = [...files.values()];
  return {
    version: entries.length - 1,
    operations,
    removed,
    columns,
    files: [...files.keys()].sort(),
    rows: stats.reduce((sum, file) => sum + file.numRecords, 0),
    heights: [
      String(Math.min(...stats.map((file) => file.minValues[heightColumn]))),
      String(Math.max(...stats.map((file) => file.maxValues[heightColumn]))),
    ],
  };
}

/** The newest version that is not newer than a time [ms since 1970]. */
export async function versionAt(folder, timeMs) {
  let version = -1;
  for (const entry of await entriesOf(folder)) {
    const lines = (await readFile(join(folder, '_delta_log', entry), 'utf8')).split('\n');
    const { commitInfo } = lines
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
      .find((action) => action.commitInfo !== undefined);
    if (commitInfo.timestamp > timeMs) break;
    version += 1;
  }
  return version;
}

/** The names of a table's checkpoints. */
export async function checkpointsOf(folder) {
  const names = await readdir(join(folder, '_delta_log'));
  return names.filter((name) => name.endsWith('.checkpoint.parquet'));
}

async function entriesOf(folder) {
  const names = await readdir(join(folder, '_delta_log'));
  return names.filter((name) => /^\d{20}\.json$/.test(name)).sort();
}

function kindsOf(schema) {
  return Object.fromEntries(schema.fields.map(({ name, type }) => [name, kindOf(type)]));
}

/** A type of the protocol, as the kind that all readers report. */
function kindOf(type) {
  if (typeof type === 'object') return `list(${kindOf(type.elementType)})`;
  const kinds = { string: 'text', long: 'integer', timestamp: 'timestamp(UTC)' };
  return kinds[type] ?? type;
}
