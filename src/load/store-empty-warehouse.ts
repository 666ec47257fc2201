import { readdir, rm, writeFile } from 'node:fs/promises';
import { builtWarehouse } from './empty-warehouse.ts';

// The last step of the build: stores the empty warehouse in `dist`, in place of older ones.
const { path, bytes } = await builtWarehouse();
const folder = new URL('.', path);
for (const name of await readdir(folder)) {
  if (name.endsWith('.duckdb')) await rm(new URL(name, folder));
}
await writeFile(path, bytes);
