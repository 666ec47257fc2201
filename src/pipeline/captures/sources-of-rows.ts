import type { z } from 'zod';
import { fileName, isMapping, mapping } from '../syntax/fields.ts';
import type { Finding } from '../syntax/schema-problems.ts';
import { type CapturedPendingState, pendingSchema, toPendingState } from './pending-settings.ts';
import { type CapturedStream, streamSchema } from './stream-settings.ts';
import {
  type ReconcileSettings,
  reconcileSchema,
  toReconcile,
  witnessSchema,
} from './witness-settings.ts';

/** The sources of rows beside the lists. */
export interface CaptureSettings {
  /** The stream that is captured beside the lists. */
  readonly stream?: CapturedStream;
  /** The pending state that is read beside the lists. */
  readonly pending?: CapturedPendingState;
  /** The files of `windrow contract submit`, relative to the folder of the pipeline. */
  readonly contracts?: { readonly submissions: string };
  readonly reconcile: ReconcileSettings;
}

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
    .optional()
    .describe('Reconciliation as a stage of runs, and the effect of differences'),
};

type CaptureSources = z.infer<z.ZodObject<typeof captureFields>>;

export function toCaptureSettings(
  { stream, pending, contracts, witness, reconcile }: CaptureSources,
  keySets: Readonly<Record<string, { readonly kind: string }>>,
): CaptureSettings {
  return {
    ...(stream === undefined ? {} : { stream }),
    ...(pending === undefined ? {} : { pending: toPendingState(pending, keySets) }),
    ...(contracts === undefined ? {} : { contracts }),
    reconcile: toReconcile(witness, reconcile),
  };
}

/** The parts of a pipeline that bring rows. A pipeline has at least one of them. */
const SOURCES_OF_ROWS = ['datasets', 'pending', 'stream', 'contracts'] as const;

/** The finding of a pipeline without any source of rows; `names` are those of datasets. */
export function withoutRowsFindings(file: unknown, names: readonly string[]): Finding[] {
  if (!isMapping(file)) return [];
  if (SOURCES_OF_ROWS.some((name) => Object.hasOwn(file, name))) return [];
  const advice = `Give it the keys it takes: ${names.join(', ')}.`;
  return [{ path: ['datasets'], message: 'is missing', advice }];
}
