import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { logReaderTasks, printedBy, pythonOf } from '../interop/readers.mjs';

/** The programs of this folder, which read and rearrange a data root. */

const here = import.meta.dirname;
const interop = join(here, '../interop');
const spark = pythonOf(here);
const environment = { ...process.env, PYTHONPATH: interop };

/** A task per program that reads the newest versions. The longest is first. */
export async function sparkReaderTasks(root, questions) {
  return [
    () => program(spark, 'read_spark.py', 'newest', root),
    ...(await logReaderTasks(root, questions)),
    () => program(spark, 'read_duckdb_delta.py', 'newest', root),
  ];
}

/** A task per program that reads older versions: `versions` has one per layer and table. */
export async function versionTasks(root, versions) {
  const file = join(root, 'versions.json');
  await writeFile(file, JSON.stringify(versions));
  return [
    () => program(spark, 'read_spark.py', 'versions', root, file),
    () => program(pythonOf(interop), 'read_versions.py', 'versions', root, file),
    () => program(spark, 'read_duckdb_delta.py', 'versions', root, file),
  ];
}

/** Rearranges and vacuums the tables of one layer with Spark. */
export function optimizeWithSpark(root, layer) {
  return program(spark, 'optimize_spark.py', root, layer);
}

function program(python, name, ...args) {
  return printedBy(python, [join(here, name), ...args], environment);
}
