import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/**
 * The log of a Delta table, read by the protocol's words alone and without windrow's code: entries
 * in the order of their versions, `add` puts a file into the table, `remove` takes it out.
 */

/** Tables beside the datasets: an index of the logs, what broke its contract, what is pending. */
const NO_DATASETS = ['coverage', 'quarantine', 'pending_transactions'];

/** The tables below a folder of chains, by `chain/dataset`. */
export async function tableFolders(place) {
  const folders = new Map();
  for (const chain of (await readdir(place)).sort()) {
    for (const dataset of (await readdir(join(place, chain))).sort()) {
      const folder = join(place, chain, dataset);
      if (NO_DATASETS.includes(dataset)) continue;
      if ((await readdir(folder)).includes('_delta_log'))
        folders.set(`${chain}/${dataset}`, folder);
    }
  }
  return folders;
}

/** What the log says of the newest version; heights stand in column `heightColumn`. */
export async function readLog(folder, heightColumn) {
  const log = join(folder, '_delta_log');
  const entries = (await readdir(log)).filter((name) => /^\d{20}\.json$/.test(name)).sort();
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
    rows: stats.reduce((sum, each) => sum + each.numRecords, 0),
    heights: [
      String(Math.min(...stats.map((each) => each.minValues[heightColumn]))),
      String(Math.max(...stats.map((each) => each.maxValues[heightColumn]))),
    ],
  };
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
