import { readdir, rm, writeFile } from 'node:fs/promises';
import { builtWarehouses } from './empty-warehouse.ts';

// The last step of the build: stores the empty warehouses in `dist`, in place of older ones.
const built = await builtWarehouses();
const folder = new URL('.', built[0]?.path);
for (const name of await readdir(folder)) {
  if (name.endsWith('.duckdb')) await rm(new URL(name, folder));
}
for (const { path, bytes } of built) await writeFile(path, bytes);
