import { createHash } from 'node:crypto';
import { z } from 'zod';
import { datasets, endpointAt, endpoints } from '../catalogue/index.ts';
import type { AddressList } from '../config/address-list.ts';
import { addressList } from '../config/address-list.ts';
import type { BlockBounds } from '../config/fields.ts';
import {
  boundsField,
  fileName,
  mapping,
  oneOf,
  says,
  severalOf,
  textField,
  wholeNumberField,
} from '../config/fields.ts';
import { withoutSlash } from '../config/source-url.ts';
import { WINDOW_BLOCKS } from '../coverage/ranges.ts';
import type { FoundKeys, PipelineRequest, RequestSource, Route } from './requests.ts';
import { addressField, datasetsSchema, keySetName, toRequest } from './requests.ts';
import type { QueriedService } from './source-settings.ts';
import { DEFAULT_RATE, sourceSchema, toCredentials } from './source-settings.ts';

/** Most keys of one request, over all endpoints of the interface. */
const GROUP_KEYS = 20;

/** The keys that requests name: a file for the caller to read, or the keys themselves. */
type KeySet =
  /** Relative to the pipeline's folder; see `parseAddressList`. */
  | { readonly kind: 'file'; readonly file: string }
  | ({ readonly kind: 'list' } & AddressList)
  | ({ readonly kind: 'found' } & FoundKeys);

/**
 * How much is read twice: `strict` reads every empty answer at least twice and asks below every
 * short page. docs/trust-model.md says what each level guarantees.
 */
export type Proof = 'standard' | 'strict';

/** What to export, with every default filled in. */
export interface Pipeline {
  readonly version: 1;
  readonly name: string;
  readonly source: QueriedService;
  readonly keySets: Readonly<Record<string, KeySet>>;
  /** Inclusive heights of either axis. */
  readonly blocks: BlockBounds;
  readonly zoneBlocks: BlockBounds;
  /** Windows are aligned to multiples of this. */
  readonly windowBlocks: number;
  readonly groupSize: number;
  readonly order: 'oldest-first' | 'newest-first';
  readonly proof: Proof;
  /** A commit is made when one of these is reached. */
  readonly commit: { readonly rows: number; readonly slices: number; readonly seconds: number };
  readonly requests: readonly PipelineRequest[];
}

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
    'Keys that the other requests of this pipeline find in these datasets',
  ).optional(),
  by: severalOf(
    oneOf(
      endpoints.map(({ path }) => path),
      'An endpoint',
    ),
    'With from: only keys in rows that these endpoints have landed',
  ).optional(),
  without: textField(
    /^[a-z][a-z0-9_]{0,63}$/,
    'is not the name of a column',
    'Name a column of the dataset, as in tx_status.',
    'With from: only keys of rows in which this column is empty',
  ).optional(),
  at: oneOf(
    ['truncated'],
    'With from: only keys of rows in blocks of which the dataset asked for is cut off',
  ).optional(),
}).meta({
  oneOf: ['file', 'list', 'from'].map((name) => {
    return { type: 'object', properties: { [name]: {} }, required: [name] };
  }),
  dependencies: { by: ['from'], without: ['from'], at: ['from'] },
});

/** A pipeline file, as values. What two of its fields say of each other is checked elsewhere. */
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
  source: sourceSchema.describe('Whom to ask, and how hard'),
  keys: z
    .record(keySetName('Name of the key set'), keySet, says('is not a mapping', 'Name key sets.'))
    .prefault({})
    .describe('Key sets by name: the addresses that requests ask about'),
  blocks: boundsField('Last height; safe: the head less finalityLagBlocks')
    .prefault({})
    .describe('Heights of the primary chain, both included; --blocks overrides them'),
  zoneBlocks: boundsField('Last height; safe: the head less finalityLagZoneBlocks')
    .prefault({})
    .describe('Heights of the zone chain, both included; --zone-blocks overrides them'),
  windowBlocks: wholeNumberField(
    1,
    WINDOW_BLOCKS,
    'Blocks of one window; windows are aligned to it',
  ).default(WINDOW_BLOCKS),
  groupSize: wholeNumberField(1, GROUP_KEYS, 'Most keys asked in one request').default(GROUP_KEYS),
  order: oneOf(['oldest-first', 'newest-first'], 'Which windows come first').default(
    'oldest-first',
  ),
  proof: oneOf(
    ['standard', 'strict'],
    'How much is read twice; strict also reads every empty answer at least twice',
  ).default('standard'),
  commit: mapping({
    rows: wholeNumberField(1, 10_000_000, 'After this many rows').default(50_000),
    slices: wholeNumberField(1, 100_000, 'After this many slices').default(64),
    seconds: wholeNumberField(1, 86_400, 'After this many seconds').default(10),
  })
    .prefault({})
    .describe('Rows become visible when one of these is reached'),
  datasets: datasetsSchema(datasets, endpoints).describe('What to ask, by dataset'),
});

export type PipelineSource = z.infer<typeof pipelineSchema>;

/** The pipeline that a valid file means. */
export function toPipeline(given: PipelineSource): Pipeline {
  const { rate } = given.source;
  const keySetsGiven = Object.entries(given.keys).map(
    ([name, { file, list = [], from, by, without, at }]): [string, KeySet] => [
      name,
      from !== undefined
        ? {
            kind: 'found',
            datasets: from,
            ...(by === undefined ? {} : { by }),
            ...(without === undefined ? {} : { without }),
            ...(at === undefined ? {} : { at }),
          }
        : file === undefined
          ? { kind: 'list', ...addressList(list) }
          : { kind: 'file', file },
    ],
  );
  const keySets = Object.fromEntries(keySetsGiven);
  const foundFor = ({ keys = '' }: RequestSource): FoundKeys | undefined => {
    const set = keySets[keys];
    return set?.kind === 'found' ? set : undefined;
  };
  return {
    version: given.version,
    name: given.name,
    source: {
      ...given.source,
      url: withoutSlash(given.source.url),
      credentials: toCredentials(given.source.credentials),
      rate: {
        startPerSecond:
          rate.startPerSecond ?? Math.min(DEFAULT_RATE.startPerSecond, rate.maxPerSecond),
        maxPerSecond: rate.maxPerSecond,
      },
    },
    keySets,
    blocks: given.blocks,
    zoneBlocks: given.zoneBlocks,
    windowBlocks: given.windowBlocks,
    groupSize: given.groupSize,
    order: given.order,
    proof: given.proof,
    commit: given.commit,
    requests: Object.entries(given.datasets).flatMap(([dataset, requests]) =>
      requests.map((request) =>
        toRequest(endpointAt(request.endpoint), dataset, request, foundFor(request)),
      ),
    ),
  };
}

/**
 * sha256, in hexadecimal, over what the pipeline asks for: its canonical JSON without the source's
 * address, credentials and rate, and without the level of proof, which say only how it is asked.
 */
export function pipelineDigest({ proof: _proof, ...pipeline }: Pipeline): string {
  const { url: _url, credentials: _credentials, rate: _rate, ...source } = pipeline.source;
  return createHash('sha256')
    .update(canonicalJson({ ...pipeline, source, requests: pipeline.requests.map(spelledRequest) }))
    .digest('hex');
}

function spelledRequest({ entry, lists, alternatives, ...rest }: PipelineRequest): object {
  return {
    ...rest,
    ...spelledRoute({ entry, lists }),
    alternatives: alternatives.map(spelledRoute),
  };
}

/** A route as digests have always spelled it: the catalogue's entry is only named. */
function spelledRoute({ entry, lists, ...rest }: Route): object {
  const variants = lists.map(({ variant, filters }) => ({ id: variant, params: filters }));
  return { ...rest, endpoint: entry.path, variants };
}

/** JSON whose objects list their keys in one order. */
function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) =>
    typeof inner === 'object' && inner !== null && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
}
