import type { z } from 'zod';
import { mapping, wholeNumberField } from './syntax/fields.ts';

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

export function toMaintenance(given: z.infer<typeof maintenanceSchema>): MaintenanceSettings {
  const { seconds, retainDays, fileRows, fileMegabytes } = given;
  const target = { bytes: fileMegabytes * 1_000_000, rows: fileRows };
  return { seconds, rules: { target, retainMs: retainDays * DAY_MS } };
}

/** The rules of a pipeline that states none. */
export const MAINTENANCE_RULES: MaintenanceRules = toMaintenance(DEFAULTS).rules;
