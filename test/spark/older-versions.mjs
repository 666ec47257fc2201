import { join } from 'node:path';
import { columnsOf, logsIn, nameOf } from '../interop/compare.mjs';
import { tableFolders, versionAt } from '../interop/delta-log.mjs';
import { runTasks } from '../interop/readers.mjs';
import { CURATED_TABLES, TABLES } from '../interop/tables.mjs';
import { say } from '../interop/tally.mjs';
import { readWarehouse } from '../interop/warehouse.mjs';
import { versionTasks } from './readers.mjs';

const LAYERS = { lake: TABLES, curated: CURATED_TABLES };

/**
 * Every reader opens the versions that the tables had at a moment, by their numbers, and windrow
 * answers as of this moment. Returns the logs of these versions, by layer.
 */
export async function compareVersions({ tally, comparison, stage, root, moment }) {
  const versions = {};
  const logs = {};
  for (const [layer, stated] of Object.entries(LAYERS)) {
    const place = join(root, layer);
    versions[layer] = await versionsAt(place, moment);
    logs[layer] = await logsIn(place, stated, versions[layer]);
  }
  const readers = await versionTasks(root, versions);
  const layers = Object.keys(LAYERS);
  const columns = Object.fromEntries(layers.map((layer) => [layer, columnsOf(logs[layer])]));
  const results = await runTasks([
    ...readers,
    () => readWarehouse(root, columns, '--as-of', moment),
  ]);
  const warehouse = results.at(-1);
  const documents = results.slice(0, readers.length);
  for (const layer of layers) {
    const readings = Object.assign({}, ...documents.map((document) => document[layer]));
    const [first] = Object.values(readings);
    const inSql = warehouse[layer];
    for (const [table, log] of logs[layer]) {
      const label = `${stage}: ${layer} ${table}`;
      const { heightColumn } = LAYERS[layer].get(table);
      for (const [reader, tables] of Object.entries(readings)) {
        comparison.facts(`${label} by ${reader}`, heightColumn, tables[table], log, first[table]);
      }
      comparison.warehouse(label, inSql.get(nameOf(table)), log, first[table]);
      say(`${label}: version ${log.version}, ${log.files.length} files, ${log.rows} rows`);
      tally.equal(`${label}: the log has this version`, log.version, versions[layer][table]);
    }
  }
  return logs;
}

async function versionsAt(place, moment) {
  const versions = {};
  for (const [table, folder] of await tableFolders(place)) {
    versions[table] = await versionAt(folder, Date.parse(moment));
  }
  return versions;
}
