import type { Finding } from '../../config/schema-problems.ts';

/** The parts of a pipeline that bring rows. A pipeline has at least one of them. */
const SOURCES_OF_ROWS = ['datasets', 'stream'] as const;

/** The finding of a pipeline without any source of rows; `names` are those of datasets. */
export function withoutRowsFindings(file: unknown, names: readonly string[]): Finding[] {
  if (typeof file !== 'object' || file === null || Array.isArray(file)) return [];
  if (SOURCES_OF_ROWS.some((name) => Object.hasOwn(file, name))) return [];
  const advice = `Give it the keys it takes: ${names.join(', ')}.`;
  return [{ path: ['datasets'], message: 'is missing', advice }];
}
