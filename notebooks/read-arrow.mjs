/**
 * Reads an Arrow export in Node, batch by batch, and counts its rows per day.
 *
 *     npx windrow export transactions --format arrow --out - | node notebooks/read-arrow.mjs
 *
 * The same stream feeds Observable Plot, DuckDB-Wasm or any other reader of Arrow.
 */
import { RecordBatchReader } from 'apache-arrow';

const reader = await RecordBatchReader.from(process.stdin);
await reader.open();
const days = new Map();
let rows = 0;
for await (const batch of reader) {
  const times = batch.getChild('block_time');
  if (times === null) throw new Error('The export has no column block_time.');
  rows += batch.numRows;
  for (const time of times) {
    const day = new Date(Number(time)).toISOString().slice(0, 10);
    days.set(day, (days.get(day) ?? 0) + 1);
  }
}
const most = Math.max(...days.values());
for (const [day, count] of [...days].sort()) {
  process.stdout.write(
    `${day}  ${String(count).padStart(9)}  ${'█'.repeat(Math.ceil((40 * count) / most))}\n`,
  );
}
process.stdout.write(`${rows} rows\n`);
