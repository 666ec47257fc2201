import { z } from 'zod';
import { datasets, endpointAt, endpoints } from '../catalogue/index.ts';
import { WINDOW_BLOCKS } from '../coverage/ranges.ts';
import { alertsSchema } from './alert-settings.ts';
import { type CapturedPendingState, toPendingState } from './captures/pending-settings.ts';
import { captureFields } from './captures/sources-of-rows.ts';
import type { ReconcileSettings } from './captures/witness-settings.ts';
import { type AddressList, addressList } from './csv/address-list.ts';
import { cacheSchema, maintenanceSchema } from './maintenance.ts';
import { metricsSchema } from './metrics-settings.ts';
import type { FoundKeys, PipelineRequest, RequestSource } from './requests.ts';
import { addressField, datasetsSchema, keySetName, toRequest } from './requests.ts';
import { limitsSchema } from './run-limits.ts';
import { scheduleSchema } from './schedule.ts';
import { sourceSchema } from './source-settings.ts';
import { boundsField } from './syntax/block-range.ts';
import {
  fileName,
  mapping,
  oneOf,
  says,
  severalOf,
  textField,
  wholeNumberField,
} from './syntax/fields.ts';

/** Most keys per request of any endpoint. */
const GROUP_KEYS = 20;
/** The source of a request's keys: a file that the caller reads, a list, or rows of the lake. */
type KeySet =
  /** Relative to the folder of the pipeline; see `parseAddressList`. */
  | { readonly kind: 'file'; readonly file: string }
  | ({ readonly kind: 'list' } & AddressList)
  | ({ readonly kind: 'found' } & FoundKeys);

const keySet = mapping({
  file: fileName('A CSV file of addresses, relative to this file').optional(),
  list: z
    .array(
      addressField('An address, in quotes'),
      says('is not a list of addresses', 'Write them in brackets, each in quotes.'),
    )
    .min(1, says('is an empty list', 'Name at least one address.'))
    .optional()
    .describe('The addresses themselves'),
  from: severalOf(
    oneOf(
      datasets.map(({ name }) => name),
      'A dataset',
    ),
    'Takes the keys from rows of these datasets that other requests of this pipeline land',
  ).optional(),
  by: severalOf(
    oneOf(
      endpoints.map(({ path }) => path),
      'An endpoint',
    ),
    'With from: only keys in rows of these endpoints',
  ).optional(),
  without: textField(
    /^[a-z][a-z0-9_]{0,63}$/,
    'is not the name of a column',
    'Name a column of the dataset, as in tx_status.',
    'With from: only keys in rows where this column is NULL',
  ).optional(),
  at: oneOf(
    ['truncated'],
    'With from: only keys in rows of blocks where the dataset of this request is truncated',
  ).optional(),
})
  .meta({
    oneOf: ['file', 'list', 'from'].map((name) => {
      return { type: 'object', properties: { [name]: {} }, required: [name] };
    }),
    dependencies: { by: ['from'], without: ['from'], at: ['from'] },
  })
  .transform(({ file, list = [], from: datasets, ...narrowing }): KeySet => {
    if (datasets !== undefined) return { kind: 'found', datasets, ...narrowing };
    return file === undefined ? { kind: 'list', ...addressList(list) } : { kind: 'file', file };
  });

/** The schema of a pipeline file. `checkTogether` has the checks that span several fields. */
export const pipelineSchema = mapping({
  version: z
    .literal(1, says('is not a version of this format that windrow knows', 'Write version: 1.'))
    .describe('Version of this format'),
  name: textField(
    /^[a-z0-9][a-z0-9-]{0,63}$/,
    'is not the name of a pipeline',
    'Use lower-case letters, digits and hyphens, as in address-activity.',
    'Name of the pipeline in reports',
  ),
  source: sourceSchema.describe('The service, and the load on it'),
  keys: z
    .record(keySetName('Name of the key set'), keySet, says('is not a mapping', 'Name key sets.'))
    .prefault({})
    .describe('Key sets by name: addresses or hashes for requests'),
  blocks: boundsField('Last height; safe: the head less finalityLagBlocks')
    .prefault({})
    .describe('Heights of the primary chain, inclusive; --blocks overrides them'),
  zoneBlocks: boundsField('Last height; safe: the head less finalityLagZoneBlocks')
    .prefault({})
    .describe('Heights of the zone chain, inclusive; --zone-blocks overrides them'),
  windowBlocks: wholeNumberField(
    1,
    WINDOW_BLOCKS,
    'Blocks per window; windows are aligned to multiples of it',
  ).default(WINDOW_BLOCKS),
  groupSize: wholeNumberField(1, GROUP_KEYS, 'Most keys per request').default(GROUP_KEYS),
  order: oneOf(['oldest-first', 'newest-first'], 'The order of the windows').default(
    'oldest-first',
  ),
  proof: oneOf(
    ['standard', 'strict'],
    'The level of proof; strict reads every empty answer at least twice',
  ).default('standard'),
  commit: mapping({
    rows: wholeNumberField(1, 10_000_000, 'After this many rows').default(50_000),
    slices: wholeNumberField(1, 100_000, 'After this many slices').default(64),
    seconds: wholeNumberField(1, 86_400, 'After this many seconds').default(10),
  })
    .prefault({})
    .describe('The run commits rows when it reaches one of these'),
  maintenance: maintenanceSchema,
  cache: cacheSchema,
  schedule: scheduleSchema
    .optional()
    .describe('The times of windrow schedule; runs by hand ignore them'),
  alerts: alertsSchema
    .prefault({})
    .describe('Who is informed of failed, partial or missing runs; see docs/alerts.md'),
  metrics: metricsSchema
    .prefault({})
    .describe('Metrics for Prometheus; see docs/logs-and-metrics.md'),
  limits: limitsSchema.prefault({}).describe('Bounds of each run; see docs/operating.md'),
  report: oneOf(['json', 'html'], 'html: every run also writes a page to runs/').default('json'),
  datasets: datasetsSchema(datasets, endpoints).optional().describe('Requests by dataset'),
  ...captureFields,
  names: mapping({
    tokens: fileName('Tokens: address, symbol, decimals and, optionally, amounts').optional(),
    methods: fileName('Methods: method_id and name').optional(),
  })
    .prefault({})
    .describe('CSV files with names that the views show, relative to this file'),
});

export type PipelineSource = z.infer<typeof pipelineSchema>;

/** A parsed pipeline file with all defaults. */
export interface Pipeline
  extends Readonly<Omit<PipelineSource, 'keys' | 'datasets' | 'pending' | 'witness'>> {
  readonly keySets: Readonly<Record<string, KeySet>>;
  readonly requests: readonly PipelineRequest[];
  readonly pending?: CapturedPendingState | undefined;
  readonly reconcile: ReconcileSettings;
}

/**
 * The level of proof: `strict` reads every empty answer at least twice and requests the records
 * after every short page. docs/trust-model.md states the guarantees of each level.
 */
export type Proof = Pipeline['proof'];

/** The pipeline of a valid file. */
export function toPipeline(document: PipelineSource): Pipeline {
  const { keys: keySets, datasets = {}, pending, witness: witnesses = [], ...rest } = document;
  const foundFor = ({ keys = '' }: RequestSource): FoundKeys | undefined => {
    const set = keySets[keys];
    return set?.kind === 'found' ? set : undefined;
  };
  return {
    ...rest,
    keySets,
    pending: pending && toPendingState(pending, keySets),
    reconcile: { ...rest.reconcile, witnesses },
    requests: Object.entries(datasets).flatMap(([dataset, requests]) =>
      requests.map((request) =>
        toRequest(endpointAt(request.endpoint), dataset, request, foundFor(request)),
      ),
    ),
  };
}
