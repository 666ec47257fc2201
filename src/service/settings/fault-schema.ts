import { z } from 'zod';
import { endpoints } from '../../catalogue/index.ts';
import {
  mapping,
  oneOf,
  plainNumber,
  says,
  textField,
  wholeNumberField,
} from '../../config/fields.ts';
import { suggestion } from '../../config/nearest.ts';
import { MOST_REORGANISED_BLOCKS } from '../protocol/source.ts';
import { matcherOf } from './fault-times.ts';
import { flagField } from './fields.ts';
import { planLimitSchema } from './rate-limits-schema.ts';

/** A plan of faults as data: what a service does wrong, to whom and how often. */

const PATHS = endpoints.map(({ path }) => path);
const MOST_RULES = 100;
const MOST_BYTES = 1_073_741_824;
const MOST_BOMB_BYTES = 268_435_456;
const MOST_REQUESTS = 1_000_000_000;
const LONGEST_DELAY_MS = 600_000;
/** A connection on which nothing moves is closed after a minute. */
const LONGEST_PAUSE_MS = 30_000;

const glob = textField(
  /^[A-Za-z0-9*/-]{1,200}$/,
  'is not a pattern of paths',
  'Use the paths of the catalogue; * stands for a part of a segment, ** for any number of them.',
  'Which endpoints, by their path in the catalogue; * and ** are wildcards',
).refine(
  (pattern) => PATHS.some(matcherOf(pattern)),
  says('matches no endpoint', 'See the paths with: windrow describe.'),
);

const count = (meaning: string) => wholeNumberField(1, MOST_REQUESTS, meaning);

/** When a fault strikes: always, unless one of the last three says otherwise. */
const when = {
  at: glob.default('**'),
  after: wholeNumberField(0, MOST_REQUESTS, 'Leaves so many requests alone first').default(0),
  every: count('Strikes every so manyth request').optional(),
  next: count('Strikes so many requests, and no more').optional(),
  probability: plainNumber(0, 1, 'Strikes so large a part of the requests').optional(),
};

const status = (meaning: string) => wholeNumberField(200, 599, meaning);

/** What each fault takes beside `when`, with its meaning. */
const shapes = {
  empty: {},
  error: {
    status: status('HTTP status').default(500),
    code: textField(
      /^[1-9][0-9]{0,8}$/,
      'is not a code of an error',
      'Write one to nine digits that do not begin with 0.',
      'Code of the envelope',
    ).default('50026'),
    data: oneOf(['list', 'none'], 'list: with an empty data; none: without').default('list'),
    retryAfterSeconds: wholeNumberField(
      0,
      86_400,
      'What Retry-After says, if it is there',
    ).optional(),
  },
  html: { status: status('HTTP status').default(502) },
  redirect: {
    status: z
      .literal(
        [301, 302, 303, 307, 308],
        says('is no redirect', 'Write 301, 302, 303, 307 or 308.'),
      )
      .default(302)
      .describe('HTTP status: 301, 302, 303, 307 or 308'),
    to: textField(
      /^(https?:\/\/|\/)[\u0021-\u007e]{0,2000}$/,
      'is not an address',
      'Give a whole http or https address, or a path.',
      'Where to; another origin is allowed',
    ),
  },
  malformed: {},
  'wrong-type': {
    as: oneOf(
      ['data-text', 'data-object', 'data-null', 'code-number', 'numbers', 'content-type'],
      'data-text, data-object, data-null: data of that type; code-number: code as a number; ' +
        'numbers: whole numbers of the records as numbers; content-type: right JSON as text/plain',
    ),
  },
  'drop-field': {
    field: textField(
      /^[A-Za-z][A-Za-z0-9]{0,63}$/,
      'is not the name of a field',
      'Write it as answers do.',
      'The field that all records and pages lack',
    ),
  },
  'clamp-limit': {
    most: wholeNumberField(1, 10_000, 'Pages are at most so large, whatever limit is asked'),
    echo: oneOf(['used', 'asked'], 'Which limit the answer names').default('used'),
  },
  delay: { delayMs: wholeNumberField(1, LONGEST_DELAY_MS, 'Answers so much later') },
  slow: {
    pieceBytes: wholeNumberField(1, 1_048_576, 'Sends so many bytes').default(64),
    pauseMs: wholeNumberField(1, LONGEST_PAUSE_MS, 'And then nothing for so long').default(100),
  },
  cut: {
    afterBytes: wholeNumberField(
      0,
      MOST_BYTES,
      'Closes the connection after so many bytes of the body; by default after half of it',
    ).optional(),
  },
  oversized: { bytes: wholeNumberField(1, MOST_BYTES, 'Spaces follow, up to so many bytes') },
  compressed: {
    coding: oneOf(['gzip', 'br', 'deflate'], 'How').default('gzip'),
    header: flagField('Whether content-encoding says so').default(true),
    bombBytes: wholeNumberField(
      1,
      MOST_BOMB_BYTES,
      'Spaces follow that decode to so many bytes; few of them are sent',
    ).optional(),
  },
  reorganise: {
    depth: wholeNumberField(
      1,
      MOST_REORGANISED_BLOCKS,
      'Replaces so many of the newest blocks of the primary chain before it answers',
    ),
  },
};

export type FaultName = keyof typeof shapes;

const FAULT_MEANINGS: Readonly<Record<FaultName, string>> = {
  empty: 'Success with an empty data, as services under load answer',
  error: 'An envelope with the code of an error',
  html: 'A page of HTML, as gateways answer',
  redirect: 'Another address',
  malformed: 'The first half of the JSON, as if it were all',
  'wrong-type': 'Right values in wrong types',
  'drop-field': 'Records without a field',
  'clamp-limit': 'Smaller pages than were asked for',
  delay: 'A late answer',
  slow: 'A body in small pieces',
  cut: 'A connection that is closed within the body',
  oversized: 'A body with more bytes than anybody wants',
  compressed: 'A body in a coding, asked for or not',
  reorganise: 'Other blocks at the same heights from now on',
};

/** One fault of a plan. */
const faultSchema = z
  .discriminatedUnion(
    'fault',
    [
      fault('empty', shapes.empty),
      fault('error', shapes.error),
      fault('html', shapes.html),
      fault('redirect', shapes.redirect),
      fault('malformed', shapes.malformed),
      fault('wrong-type', shapes['wrong-type']),
      fault('drop-field', shapes['drop-field']),
      fault('clamp-limit', shapes['clamp-limit']),
      fault('delay', shapes.delay),
      fault('slow', shapes.slow),
      fault('cut', shapes.cut),
      fault('oversized', shapes.oversized),
      fault('compressed', shapes.compressed),
      fault('reorganise', shapes.reorganise),
    ],
    says('is not a fault that there is', `Allowed here: ${Object.keys(shapes).join(', ')}.`),
  )
  .refine(
    ({ every, next, probability }) =>
      [every, next, probability].filter((each) => each !== undefined).length <= 1,
    says('says twice when to strike', 'Keep one of every, next and probability.'),
  );

function fault<Name extends FaultName, Shape extends z.ZodRawShape>(name: Name, shape: Shape) {
  return mapping({ fault: z.literal(name), ...when, ...shape }).describe(FAULT_MEANINGS[name]);
}

/** How the chain and its lists behave, in place of what the settings say. */
const chainSchema = mapping({
  advancePerRequest: plainNumber(
    0,
    10_000,
    'Blocks that the primary chain grows by with every request; may be a part of one',
  ).optional(),
  delayInternal: wholeNumberField(
    0,
    1_000_000,
    'Internal transactions of so many of the newest heights are not listed yet',
  ).optional(),
  recordCap: wholeNumberField(1, 1_000_000_000, 'How many records a list reaches').optional(),
  capStyle: oneOf(
    ['empty', 'clamp', 'error'],
    'A page beyond the record cap: an empty list, the last page once more, or an error',
  ).optional(),
  perMatchListing: flagField('Lists a record once for each of the keys that it names').optional(),
  endReading: oneOf(
    ['inclusive', 'exclusive'],
    'Whether primary-chain lists contain endBlockHeight',
  ).optional(),
  maxPageSize: z
    .record(
      z.string().superRefine((path, context) => {
        if (PATHS.includes(path)) return;
        const message = says('is no endpoint', suggestion(path, PATHS));
        context.addIssue({ code: 'custom', message });
      }),
      wholeNumberField(1, 10_000, 'Larger ones are refused'),
      says('is not a mapping', 'Give it page sizes by the path of their endpoint.'),
    )
    .optional()
    .describe('The largest page size by the path of an endpoint; larger ones are refused'),
});

/** A whole plan. An empty one does nothing wrong. */
export const faultPlanSchema = mapping({
  seed: wholeNumberField(
    0,
    Number.MAX_SAFE_INTEGER,
    'The same seed strikes the same requests',
  ).default(1),
  chain: chainSchema.prefault({}).describe('How the chain and its lists behave'),
  limits: listOf(planLimitSchema, 'limits').describe('Hidden rate limits; all of them hold'),
  faults: listOf(faultSchema, 'faults').describe('What goes wrong, the outermost first'),
});

function listOf<S extends z.ZodType>(element: S, name: string) {
  return z
    .array(element, says(`is not a list of ${name}`, 'List mappings, each begun with a hyphen.'))
    .max(MOST_RULES, says('is too long a list', `Name at most ${MOST_RULES}.`))
    .default([]);
}

export type FaultPlan = z.infer<typeof faultPlanSchema>;
export type FaultRule = FaultPlan['faults'][number];
export type FaultOf<Name extends FaultName> = Extract<FaultRule, { fault: Name }>;
