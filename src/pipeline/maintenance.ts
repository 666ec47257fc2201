import type { z } from 'zod';
import { fileName, mapping, wholeNumberField } from './syntax/fields.ts';

/** Local files of a lake in an object store: their folder, and the room for copies of objects. */
export interface CacheSettings {
  readonly dir?: string | undefined;
  readonly gigabytes?: number | undefined;
}

/** The size at which a file is left alone. */
export interface FileTarget {
  readonly bytes: number;
  readonly rows: number;
}

/** How maintenance arranges the files of a lake. */
export interface MaintenanceRules {
  readonly target: FileTarget;
  /** How long a file stays after a commit has removed it from its table. */
  readonly retainMs: number;
}

/** The maintenance at the end of a run. */
export interface MaintenanceSettings {
  /** Time for merging small files; 0 turns maintenance off. */
  readonly seconds: number;
  readonly rules: MaintenanceRules;
}

const DAY_MS = 86_400_000;
const DEFAULTS = { seconds: 10, retainDays: 7, fileRows: 250_000, fileMegabytes: 128 };

export const maintenanceSchema = mapping({
  seconds: wholeNumberField(
    0,
    86_400,
    'Time for merging small files; 0 turns maintenance off',
  ).default(DEFAULTS.seconds),
  retainDays: wholeNumberField(
    1,
    3650,
    'How long a replaced file stays for readers of older versions',
  ).default(DEFAULTS.retainDays),
  fileRows: wholeNumberField(1000, 10_000_000, 'Rows of a merged file at most').default(
    DEFAULTS.fileRows,
  ),
  fileMegabytes: wholeNumberField(1, 10_000, 'Size of a merged file at most').default(
    DEFAULTS.fileMegabytes,
  ),
})
  .prefault({})
  .describe('Merging and deleting of files at the end of a run');

export const cacheSchema = mapping({
  dir: fileName('Folder of the local files; default: WINDROW_CACHE_DIR').optional(),
  gigabytes: wholeNumberField(1, 1_000_000, 'Room for copies of objects').optional(),
})
  .prefault({})
  .describe('Local files of a lake in an object store; see docs/scaling.md');

export function toMaintenance(source: z.infer<typeof maintenanceSchema>): MaintenanceSettings {
  const { seconds, retainDays, fileRows, fileMegabytes } = source;
  const target = { bytes: fileMegabytes * 1_000_000, rows: fileRows };
  return { seconds, rules: { target, retainMs: retainDays * DAY_MS } };
}

/** The rules of a pipeline that states none. */
export const MAINTENANCE_RULES: MaintenanceRules = toMaintenance(DEFAULTS).rules;
