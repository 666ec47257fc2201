import { z } from 'zod';
import { endpoints } from '../../../src/catalogue/index.ts';
import { suggestion } from '../../../src/fault.ts';
import {
  mapping,
  oneOf,
  plainNumber,
  says,
  textField,
  wholeNumberField,
  yesOrNo,
} from '../../../src/pipeline/syntax/fields.ts';
import { MOST_REORGANISED_BLOCKS } from '../protocol/source.ts';
import { matcherOf } from './fault-times.ts';
import { planLimitSchema } from './rate-limits-schema.ts';

/** The schema of a plan of faults: its faults, the requests they apply to and how often. */

const PATHS = endpoints.map(({ path }) => path);
const MOST_RULES = 100;
const MOST_BYTES = 1_073_741_824;
const MOST_BOMB_BYTES = 268_435_456;
const MOST_REQUESTS = 1_000_000_000;
const LONGEST_DELAY_MS = 600_000;
/** Half of the idle time after which a connection is closed. */
const LONGEST_PAUSE_MS = 30_000;

const glob = textField(
  /^[A-Za-z0-9*/-]{1,200}$/,
  'is not a path pattern',
  'Use the paths of the catalogue; * stands for a part of a segment, ** for any number of them.',
  'Pattern of endpoint paths in the catalogue; * and ** are wildcards',
).refine(
  (pattern) => PATHS.some(matcherOf(pattern)),
  says('matches no endpoint', 'See the paths with: windrow describe.'),
);

const count = (meaning: string) => wholeNumberField(1, MOST_REQUESTS, meaning);

/** The requests that a fault applies to: all, unless one of the last three members is set. */
const when = {
  at: glob.default('**'),
  after: wholeNumberField(0, MOST_REQUESTS, 'Number of matching requests to skip first').default(0),
  every: count('Applies to every Nth matching request').optional(),
  next: count('Applies to the next N matching requests only').optional(),
  probability: plainNumber(
    0,
    1,
    'Applies to each matching request with this probability',
  ).optional(),
};

const status = (meaning: string) => wholeNumberField(200, 599, meaning);

/** The faults, each with its name, its meaning and its members besides `when`. */
const FAULTS = [
  fault('empty', 'Success with empty data, as from services under load', {}),
  fault('error', 'An envelope with the code of an error', {
    status: status('HTTP status').default(500),
    code: textField(
      /^[1-9][0-9]{0,8}$/,
      'is not an error code',
      'Write one to nine digits, the first of them not 0.',
      'Code of the envelope',
    ).default('50026'),
    data: oneOf(['list', 'none'], 'list: with an empty data; none: without').default('list'),
    retryAfterSeconds: wholeNumberField(
      0,
      86_400,
      'Value of Retry-After; absent by default',
    ).optional(),
  }),
  fault('html', 'An HTML page, as from gateways', { status: status('HTTP status').default(502) }),
  fault('redirect', 'A redirect to another address', {
    status: z
      .literal(
        [301, 302, 303, 307, 308],
        says('is not a redirect status', 'Write 301, 302, 303, 307 or 308.'),
      )
      .default(302)
      .describe('HTTP status: 301, 302, 303, 307 or 308'),
    to: textField(
      /^(https?:\/\/|\/)[\u0021-\u007e]{0,2000}$/,
      'is not an address',
      'Give a whole http or https address, or a path.',
      'Target of the redirect; another origin is allowed',
    ),
  }),
  fault('malformed', 'The first half of the JSON, sent as a complete body', {}),
  fault('wrong-type', 'Correct values with wrong types', {
    as: oneOf(
      ['data-text', 'data-object', 'data-null', 'code-number', 'numbers', 'content-type'],
      'data-text, data-object, data-null: data of that type; code-number: code as a number; ' +
        'numbers: whole numbers of the records as numbers; content-type: right JSON as text/plain',
    ),
  }),
  fault('drop-field', 'Records without a field', {
    field: textField(
      /^[A-Za-z][A-Za-z0-9]{0,63}$/,
      'is not the name of a field',
      'Use the spelling of the answers.',
      'The field to leave out of all records and pages',
    ),
  }),
  fault('clamp-limit', 'Smaller pages than requested', {
    most: wholeNumberField(1, 10_000, 'Largest page, whatever limit the request has'),
    echo: oneOf(['used', 'asked'], 'The limit that the answer names').default('used'),
  }),
  fault('delay', 'A late answer', {
    delayMs: wholeNumberField(1, LONGEST_DELAY_MS, 'Delay of the answer'),
  }),
  fault('slow', 'A body in small pieces', {
    pieceBytes: wholeNumberField(1, 1_048_576, 'Size of a piece').default(64),
    pauseMs: wholeNumberField(1, LONGEST_PAUSE_MS, 'Pause after each piece').default(100),
  }),
  fault('cut', 'A connection that closes within the body', {
    afterBytes: wholeNumberField(
      0,
      MOST_BYTES,
      'Bytes of the body before the connection closes; half of the body by default',
    ).optional(),
  }),
  fault('oversized', 'A body that is far too large', {
    bytes: wholeNumberField(1, MOST_BYTES, 'Size of the body, which is filled up with spaces'),
  }),
  fault('compressed', 'A compressed body, even if the request does not accept it', {
    coding: oneOf(['gzip', 'br', 'deflate'], 'Content coding').default('gzip'),
    header: yesOrNo('Whether content-encoding names the coding').default(true),
    bombBytes: wholeNumberField(
      1,
      MOST_BOMB_BYTES,
      'Decoded size, which is filled up with spaces; few bytes are sent',
    ).optional(),
  }),
  fault('reorganise', 'Replaces blocks by others of the same heights', {
    depth: wholeNumberField(
      1,
      MOST_REORGANISED_BLOCKS,
      'Number of newest primary blocks to replace before the answer',
    ),
  }),
] as const;

const NAMES = FAULTS.map(({ shape }) => shape.fault.value);
export type FaultName = (typeof NAMES)[number];

/** One fault of a plan. */
const faultSchema = z
  .discriminatedUnion(
    'fault',
    FAULTS,
    says('is not a known fault', `Allowed here: ${NAMES.join(', ')}.`),
  )
  .refine(
    ({ every, next, probability }) =>
      [every, next, probability].filter((option) => option !== undefined).length <= 1,
    says('has more than one of every, next and probability', 'Keep one of them.'),
  );

function fault<const Name extends string, Shape extends z.ZodRawShape>(
  name: Name,
  meaning: string,
  shape: Shape,
) {
  return mapping({ fault: z.literal(name), ...when, ...shape }).describe(meaning);
}

/** The behaviour of the chain and its lists, in place of the settings. */
const chainSchema = mapping({
  advancePerRequest: plainNumber(
    0,
    10_000,
    'Blocks added to the primary chain with every request; may be a fraction',
  ).optional(),
  delayInternal: wholeNumberField(
    0,
    1_000_000,
    'Number of newest heights without internal transactions',
  ).optional(),
  recordCap: wholeNumberField(1, 1_000_000_000, 'Record cap of a list').optional(),
  capStyle: oneOf(
    ['empty', 'clamp', 'error'],
    'A page beyond the record cap: an empty list, the last page once more, or an error',
  ).optional(),
  perMatchListing: yesOrNo('Lists a record once for each of the keys that it names').optional(),
  endReading: oneOf(
    ['inclusive', 'exclusive'],
    'Whether primary-chain lists contain endBlockHeight',
  ).optional(),
  maxPageSize: z
    .record(
      z.string().superRefine((path, context) => {
        if (PATHS.includes(path)) return;
        const message = says('is not an endpoint', suggestion(path, PATHS));
        context.addIssue({ code: 'custom', message });
      }),
      wholeNumberField(1, 10_000, 'Larger pages are refused'),
      says('is not a mapping', 'Give it page sizes by the path of their endpoint.'),
    )
    .optional()
    .describe('Largest page size by the path of an endpoint; larger ones are refused'),
});

/** A whole plan. An empty plan has no faults. */
export const faultPlanSchema = mapping({
  seed: wholeNumberField(
    0,
    Number.MAX_SAFE_INTEGER,
    'The same seed selects the same requests',
  ).default(1),
  chain: chainSchema.prefault({}).describe('Behaviour of the chain and its lists'),
  limits: listOf(planLimitSchema, 'limits').describe('Hidden rate limits; all of them apply'),
  faults: listOf(faultSchema, 'faults').describe('Faults, the outermost first'),
});

function listOf<S extends z.ZodType>(element: S, name: string) {
  return z
    .array(
      element,
      says(`is not a list of ${name}`, 'Write a list of mappings, each after a hyphen.'),
    )
    .max(MOST_RULES, says('is too long', `Name at most ${MOST_RULES}.`))
    .default([]);
}

export type FaultPlan = z.infer<typeof faultPlanSchema>;
export type FaultRule = FaultPlan['faults'][number];
export type FaultOf<Name extends FaultName> = Extract<FaultRule, { fault: Name }>;
