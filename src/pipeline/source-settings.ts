import { z } from 'zod';
import { secretSourceSchema } from './secret-command.ts';
import {
  asText,
  mapping,
  nameField,
  oneOf,
  plainNumber,
  says,
  soundText,
  textField,
  wholeNumberField,
} from './syntax/fields.ts';
import { urlProblem, withoutSlash } from './syntax/source-url.ts';

/** The meaning of a reply's code for the request. */
export type CodeClass = 'throttle' | 'transient' | 'auth' | 'stop' | 'permanent' | 'empty';

/** The pacer alone finds the rate by default, and rate x latency the requests in flight. */
export const DEFAULT_RATE = { startPerSecond: 2, maxPerSecond: 10_000 };
export const DEFAULT_CONCURRENCY = 64;
const LONGEST_WAIT_MS = 3_600_000;

const url = asText(
  soundText(
    says('is not an http or https address', 'Give the whole address of the service.'),
    urlProblem,
  )
    .meta({ format: 'uri' })
    .transform(withoutSlash),
).describe('Base address of the service; --source-url overrides it');

const credentials = z
  .union(
    [oneOf(['environment', 'none'], 'The source of the secrets'), secretSourceSchema],
    says(
      'is none of the allowed forms',
      'Write environment, none, { file: NAME } or { command: [PROGRAM, ...] }; do not write ' +
        'secrets here.',
    ),
  )
  .describe(
    'environment: WINDROW_ACCESS_KEY, WINDROW_SECRET_KEY and WINDROW_PASSPHRASE; ' +
      'none: requests are not signed; or a file of mode 0600, or the output of a command',
  )
  .transform((from) => (typeof from === 'string' ? { kind: from } : from));

const waitMs = (meaning: string) =>
  wholeNumberField(1, LONGEST_WAIT_MS, `${meaning}, in milliseconds`);

const codeMessage = says(
  'is not a code of an error',
  'Write the code as the service sends it; 0 is the code of success.',
);

/** The `source` of a pipeline. */
export const sourceSchema = mapping({
  url,
  chain: nameField(
    'the short name of a chain',
    'MAINCHAIN',
    'chainShortName of the primary chain; also the name of its folder in the lake',
  ),
  zoneChain: nameField(
    'the short name of a chain',
    'ZONECHAIN',
    'chainShortName of the zone chain; also the name of its folder in the lake',
  ).default('ZONECHAIN'),
  pathSegment: nameField(
    'one segment of a path',
    'mainchain',
    'The segment of the paths that names the primary chain',
  ).default('mainchain'),
  zoneSegment: nameField(
    'one segment of a path',
    'zone',
    'The segment of the paths that names the zone chain',
  ).default('zone'),
  headerPrefix: textField(
    /^[A-Za-z0-9][A-Za-z0-9-]{0,63}$/,
    'is not the beginning of a header name',
    'Use letters, digits and hyphens, as in SVC-.',
    'Prefix of the names of the authentication headers',
  ).default('SVC-'),
  credentials: credentials.prefault('environment'),
  authentication: oneOf(
    ['signature', 'key'],
    'signature: four headers, signed; key: one header with the access key alone',
  ).default('signature'),
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
  timeUnit: oneOf(['ms', 's'], 'Unit of the times in replies; by default ms').optional(),
  concurrency: wholeNumberField(
    1,
    256,
    'Most requests in flight; the run keeps fewer where rate and latency need fewer',
  ).default(DEFAULT_CONCURRENCY),
  rate: mapping({
    startPerSecond: plainNumber(
      0.01,
      10_000,
      'Requests per second at the start, by default 2',
    ).optional(),
    maxPerSecond: plainNumber(
      0.01,
      10_000,
      'Most requests per second; the run finds the rate limit of the service below it',
    ).default(DEFAULT_RATE.maxPerSecond),
  })
    .transform(({ startPerSecond = DEFAULT_RATE.startPerSecond, maxPerSecond }) => {
      return { startPerSecond: Math.min(startPerSecond, maxPerSecond), maxPerSecond };
    })
    .prefault({}),
  quota: mapping({
    perDay: wholeNumberField(1, 1_000_000_000, 'Most requests per day in UTC, with retries'),
  })
    .optional()
    .describe('The quota of the key; all runs on this machine that use the key share it'),
  timeouts: mapping({
    connectMs: waitMs('Time limit to connect').default(10_000),
    headersMs: waitMs('Time limit from the request to the headers').default(30_000),
    bodyMs: waitMs('Time limit between two chunks of a body').default(30_000),
    totalMs: waitMs('Time limit of one attempt').default(120_000),
  }).prefault({}),
  codes: z
    .record(
      z.string().regex(/^(?!0$)[A-Za-z0-9_-]{1,32}$/, codeMessage),
      oneOf(
        ['throttle', 'transient', 'auth', 'stop', 'permanent', 'empty'],
        'The class of replies with this code',
      ),
      says('is not a mapping', 'Write codes in quotes, as in { "50999": throttle }.'),
    )
    .prefault({})
    .describe('Classes of reply codes, in addition to the default table or in place of it'),
});

/** The service, and the load on it. The URL has no slash at its end. */
export type QueriedService = Readonly<z.infer<typeof sourceSchema>>;
