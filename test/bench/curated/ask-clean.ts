import { DuckDBInstance } from '@duckdb/node-api';
import { openConnection } from '../../../src/land/storage/connection.ts';
import { select } from '../../../src/load/query/query.ts';

/** Prints the answer to one SELECT as JSON, as `windrow query --json` does, without a warehouse. */

const MAX_ROWS = 10_000;

const instance = await DuckDBInstance.create(':memory:');
const connection = await openConnection(instance);
const { rows } = await select(connection, process.argv[2] ?? '', MAX_ROWS);
process.stdout.write(`${JSON.stringify(rows)}\n`);
connection.closeSync();
instance.closeSync();
