import { dirname, join } from 'node:path';
import { localDisk } from '../land/storage/disk.ts';
import { builtWarehouses } from './empty-warehouse.ts';

// The last step of the build: stores the empty warehouses in `dist`, in place of older ones.
const built = await builtWarehouses();
const folder = dirname(built[0]?.path ?? '');
for (const name of await localDisk.list(folder)) {
  if (name.endsWith('.duckdb')) await localDisk.remove(join(folder, name));
}
for (const { path, bytes } of built) await localDisk.write(path, bytes);
