import { z } from 'zod';
import {
  asText,
  fileName,
  mapping,
  oneOf,
  plainNumber,
  says,
  textField,
  wholeNumberField,
} from '../config/fields.ts';
import { urlProblem } from '../config/source-url.ts';

/** What a reply's code means for the request that got it. */
export type CodeClass = 'throttle' | 'transient' | 'auth' | 'stop' | 'permanent' | 'empty';

export type CredentialsFrom =
  /** WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE. */
  | { readonly kind: 'environment' }
  | { readonly kind: 'none' }
  /** A file that only its owner may read; relative to the pipeline's folder. */
  | { readonly kind: 'file'; readonly file: string };

/** Whom to ask, and how hard. */
export interface QueriedService {
  /** Without a slash at its end. */
  readonly url: string;
  /** `chainShortName` of the primary chain; also a folder of the lake. */
  readonly chain: string;
  /** The same of the zone chain. */
  readonly zoneChain: string;
  readonly pathSegment: string;
  readonly zoneSegment: string;
  readonly headerPrefix: string;
  readonly credentials: CredentialsFrom;
  readonly finalityLagBlocks: number;
  readonly finalityLagZoneBlocks: number;
  /** Most records the service lists for one query, over all pages. */
  readonly recordCap: number;
  /** Most requests in flight. */
  readonly concurrency: number;
  readonly rate: { readonly startPerSecond: number; readonly maxPerSecond: number };
  readonly timeouts: {
    readonly connectMs: number;
    readonly headersMs: number;
    readonly bodyMs: number;
    readonly totalMs: number;
  };
  /** Additions to the default table of codes. */
  readonly codes: Readonly<Record<string, CodeClass>>;
}

export const DEFAULT_RATE = { startPerSecond: 2, maxPerSecond: 50 };
const LONGEST_WAIT_MS = 3_600_000;

const url = asText(
  z
    .string(says('is not an http or https address', 'Give the whole address of the service.'))
    .superRefine((given, context) => {
      const problem = urlProblem(given);
      if (problem === undefined) return;
      context.addIssue({ code: 'custom', message: says(problem.what, problem.advice) });
    })
    .meta({ format: 'uri' }),
).describe('Base address of the service; --source-url overrides it');

const credentials = z
  .union(
    [
      oneOf(['environment', 'none'], 'Where the secrets come from'),
      mapping({ file: fileName('A file with the secrets, which only its owner may read') }),
    ],
    says(
      'is none of the allowed forms',
      'Write environment, none, or { file: NAME }; secrets themselves never stand here.',
    ),
  )
  .describe(
    'environment: WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE; ' +
      'none: requests are not signed; or a file of mode 0600',
  );

const waitMs = (meaning: string) =>
  wholeNumberField(1, LONGEST_WAIT_MS, `${meaning}, in milliseconds`);

const codeMessage = says(
  'is not a code of an error',
  'Write the code as the service sends it; 0 is its word for success.',
);

/** The `source` of a pipeline. */
export const sourceSchema = mapping({
  url,
  chain: textField(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'is not the short name of a chain',
    'Use letters, digits, hyphens and underscores, as in MAINCHAIN.',
    'chainShortName of the primary chain; also the name of its folder in the lake',
  ),
  zoneChain: textField(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'is not the short name of a chain',
    'Use letters, digits, hyphens and underscores, as in ZONECHAIN.',
    'chainShortName of the zone chain; also the name of its folder in the lake',
  ).default('ZONECHAIN'),
  pathSegment: textField(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'is not one segment of a path',
    'Use letters, digits, hyphens and underscores, as in mainchain.',
    'The segment of the paths that names the primary chain',
  ).default('mainchain'),
  zoneSegment: textField(
    /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/,
    'is not one segment of a path',
    'Use letters, digits, hyphens and underscores, as in zone.',
    'The segment of the paths that names the zone chain',
  ).default('zone'),
  headerPrefix: textField(
    /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/,
    'is not the beginning of a header name',
    'Use letters, digits and hyphens, as in SVC-.',
    'What the names of the authentication headers begin with',
  ).default('SVC-'),
  credentials: credentials.default('environment'),
  finalityLagBlocks: wholeNumberField(
    0,
    1_000_000,
    'The safe height is this many blocks below the head',
  ).default(64),
  finalityLagZoneBlocks: wholeNumberField(
    0,
    100_000_000,
    'The safe height of the zone chain is this many blocks below its head',
  ).default(600),
  recordCap: wholeNumberField(
    1,
    1_000_000_000,
    'Most records the service lists for one query, over all pages',
  ).default(10_000),
  concurrency: wholeNumberField(1, 256, 'Most requests in flight').default(8),
  rate: mapping({
    startPerSecond: plainNumber(
      0.01,
      10_000,
      'Requests per second to begin with, by default 2',
    ).optional(),
    maxPerSecond: plainNumber(
      0.01,
      10_000,
      'Requests per second never to exceed; the limit of the service is found below it',
    ).default(DEFAULT_RATE.maxPerSecond),
  }).prefault({}),
  timeouts: mapping({
    connectMs: waitMs('To connect').default(10_000),
    headersMs: waitMs('From the request to the first byte').default(30_000),
    bodyMs: waitMs('Between two pieces of a body').default(30_000),
    totalMs: waitMs('For one attempt as a whole').default(120_000),
  }).prefault({}),
  codes: z
    .record(
      z.string().regex(/^(?!0$)[A-Za-z0-9_-]{1,32}$/, codeMessage),
      oneOf(
        ['throttle', 'transient', 'auth', 'stop', 'permanent', 'empty'],
        'What to do when a reply carries this code',
      ),
      says('is not a mapping', 'Write codes in quotes, as in { "50999": throttle }.'),
    )
    .prefault({})
    .describe('Codes of replies that the default table does not know, or classes otherwise'),
});

type CredentialsSource = z.infer<typeof sourceSchema>['credentials'];

export function toCredentials(given: CredentialsSource): CredentialsFrom {
  return typeof given === 'string' ? { kind: given } : { kind: 'file', file: given.file };
}
