import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { printedBy, pythonOf } from './readers.mjs';
import { windrow } from './windrow.mjs';

/**
 * What windrow answers in SQL about the tables of these schemas, in the words of the other readers:
 * it exports the views as Arrow. `columns` has the kinds of columns by schema and table; `flags` are
 * more flags of `windrow export`. Returns maps of facts by schema.
 */
export async function readWarehouse(root, columns, ...flags) {
  const views = Object.entries(columns).flatMap(([schema, tables]) => {
    return [...tables].map(([table, kinds]) => [`${schema}.${table}`, Object.keys(kinds)]);
  });
  const names = views.map(([view]) => view);
  await windrow('export', ...names, '--format', 'arrow', '--force', '--data', root, ...flags);
  const pathOf = (view) => join(root, 'exports', `${view}.arrow`);
  const wanted = Object.fromEntries(views.map(([view, kinds]) => [pathOf(view), kinds]));
  const file = join(root, 'exports', 'columns.json');
  await writeFile(file, JSON.stringify(wanted));
  const program = join(import.meta.dirname, 'read_exports.py');
  const facts = await printedBy(pythonOf(import.meta.dirname), [program, file]);
  const layers = Object.entries(columns).map(([schema, tables]) => {
    const seen = [...tables.keys()].map((table) => [table, facts[pathOf(`${schema}.${table}`)]]);
    return [schema, new Map(seen)];
  });
  return Object.fromEntries(layers);
}
