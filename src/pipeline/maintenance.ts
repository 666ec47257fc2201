import type { z } from 'zod';
import { fileName, mapping, wholeNumberField } from './syntax/fields.ts';

const DAY_MS = 86_400_000;

export const maintenanceSchema = mapping({
  seconds: wholeNumberField(
    0,
    86_400,
    'Time for merging small files; 0 turns maintenance off',
  ).default(10),
  retainDays: wholeNumberField(
    1,
    3650,
    'How long a replaced file stays for readers of older versions',
  ).default(7),
  fileRows: wholeNumberField(1000, 10_000_000, 'Rows of a merged file at most').default(250_000),
  fileMegabytes: wholeNumberField(1, 10_000, 'Size of a merged file at most').default(128),
})
  .transform(({ seconds, retainDays, fileRows: rows, fileMegabytes }) => {
    const target = { bytes: fileMegabytes * 1_000_000, rows };
    return { seconds, rules: { target, retainMs: retainDays * DAY_MS } };
  })
  .prefault({})
  .describe('Merging and deleting of files at the end of a run');

/** How maintenance arranges the files of a lake, and how long removed ones stay. */
export type MaintenanceRules = z.infer<typeof maintenanceSchema>['rules'];
/** The size at which a file is left alone. */
export type FileTarget = MaintenanceRules['target'];

/** The rules of a pipeline that states none. */
export const MAINTENANCE_RULES: MaintenanceRules = maintenanceSchema.parse({}).rules;

export const cacheSchema = mapping({
  dir: fileName('Folder of the local files; default: WINDROW_CACHE_DIR').optional(),
  gigabytes: wholeNumberField(1, 1_000_000, 'Room for copies of objects').optional(),
})
  .prefault({})
  .describe('Local files of a lake in an object store; see docs/scaling.md');

export type CacheSettings = z.infer<typeof cacheSchema>;
