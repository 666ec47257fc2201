import { isMapping } from '../../json-in.ts';
import { fileName, mapping } from '../syntax/fields.ts';
import type { Finding } from '../syntax/schema-problems.ts';
import { pendingSchema } from './pending-settings.ts';
import { streamSchema } from './stream-settings.ts';
import { reconcileSchema, witnessSchema } from './witness-settings.ts';

/** The fields of a pipeline for these sources. */
export const captureFields = {
  stream: streamSchema
    .optional()
    .describe(
      'The stream of block fragments that run --for and follow capture; see docs/stream.md',
    ),
  pending: pendingSchema
    .optional()
    .describe(
      'The pending state that run --for and follow read over and over; see docs/pending.md',
    ),
  contracts: mapping({ submissions: fileName('YAML files; * in the name stands for any text') })
    .optional()
    .describe(
      'Submissions of windrow contract submit, whose results runs read; see ' +
        'docs/contract-verification.md',
    ),
  witness: witnessSchema
    .optional()
    .describe('Nodes that balances are reconciled with; see docs/reconcile.md'),
  reconcile: reconcileSchema
    .prefault({})
    .describe('Reconciliation as a stage of runs, and the effect of differences'),
};

/** The parts of a pipeline that bring rows. A pipeline has at least one of them. */
const SOURCES_OF_ROWS = ['datasets', 'pending', 'stream', 'contracts'] as const;

/** The finding of a pipeline without any source of rows; `names` are those of datasets. */
export function withoutRowsFindings(file: unknown, names: readonly string[]): Finding[] {
  if (!isMapping(file)) return [];
  if (SOURCES_OF_ROWS.some((name) => Object.hasOwn(file, name))) return [];
  const advice = `Give it the keys it takes: ${names.join(', ')}.`;
  return [{ path: ['datasets'], message: 'is missing', advice }];
}
