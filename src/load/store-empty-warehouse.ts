import { dirname, join } from 'node:path';
import { localDisk } from '../land/storage/disk.ts';
import { builtWarehouse } from './empty-warehouse.ts';

// The last step of the build: stores the empty warehouse in `dist`, in place of older ones.
const { path, bytes } = await builtWarehouse();
const folder = dirname(path);
for (const name of await localDisk.list(folder)) {
  if (name.endsWith('.duckdb')) await localDisk.remove(join(folder, name));
}
await localDisk.write(path, bytes);
