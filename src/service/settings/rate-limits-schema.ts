import { z } from 'zod';
import {
  mapping,
  oneOf,
  plainNumber,
  says,
  textField,
  wholeNumberField,
} from '../../config/fields.ts';
import { flagField } from './fields.ts';

/** Rate limits as data: of a plan of faults, and of one key. */

const MOST_REQUESTS = 100_000;
const LONGEST_SECONDS = 86_400;

const seconds = (meaning: string) => plainNumber(0.001, LONGEST_SECONDS, meaning);
const requests = (meaning: string) => wholeNumberField(1, MOST_REQUESTS, meaning);

const reject = mapping({
  status: z
    .union(
      [z.literal(429), z.literal(200)],
      says('is neither 429 nor 200', 'Write one of these without quotes.'),
    )
    .default(429)
    .describe('HTTP status: 429 or 200'),
  code: textField(
    /^[0-9]{1,9}$/,
    'is not a code',
    'Write up to nine digits; 0 makes a rejection that looks like an empty answer.',
    'Its code; 0 with data: list is an answer that is silently empty',
  ).default('50011'),
  message: textField(
    /^.{0,200}$/,
    'is not a message',
    'Write one line of at most 200 characters.',
    'What msg says',
  ).default('Too Many Requests'),
  retryAfter: flagField('Whether Retry-After says when to come again').default(false),
  data: oneOf(['list', 'none'], 'list: with an empty data; none: without').default('list'),
});

const common = {
  requests: requests('How many requests it grants'),
  changes: z
    .array(
      mapping({
        afterSeconds: seconds('From so long after the start on'),
        requests: requests('It grants so many'),
      }),
      says('is not a list of changes', 'List mappings of afterSeconds and requests.'),
    )
    .max(100, says('is too long a list', 'Name at most 100 changes.'))
    .refine(
      (changes) => changes.every((each, i) => i === 0 || each.afterSeconds > before(changes, i)),
      says('are not in order', 'Sort them by afterSeconds, each time once.'),
    )
    .optional()
    .describe('Other numbers of requests from later times on: limits that change'),
  ban: mapping({
    rejections: wholeNumberField(1, 10_000, 'After so many rejections'),
    withinSeconds: seconds('Within so long'),
    seconds: seconds('Nothing is granted for so long'),
  })
    .optional()
    .describe('Grants nothing for a while to who goes on asking'),
  reject: reject.prefault({}).describe('What a rejection looks like'),
};

function before(changes: readonly { readonly afterSeconds: number }[], at: number): number {
  return changes[at - 1]?.afterSeconds ?? 0;
}

const windowSeconds = seconds('In so many seconds; per-minute has no other than 60').default(1);

/** Limits by their rule. */
const rules = {
  'token-bucket': {
    ...common,
    seconds: windowSeconds,
    burst: requests(
      'With token-bucket: most at once; by default as many as requests says',
    ).optional(),
  },
  'fixed-window': { ...common, seconds: windowSeconds },
  'sliding-window': { ...common, seconds: windowSeconds },
  'per-minute': common,
};
type Rule = keyof typeof rules;

const RULE_MEANINGS: Readonly<Record<Rule, string>> = {
  'token-bucket': 'Tokens refill steadily up to the burst, and each request takes one',
  'fixed-window': 'So many requests in each window; windows begin at multiples of their length',
  'sliding-window': 'So many requests in any stretch of that length',
  'per-minute': 'So many requests in each minute of the clock',
};

function limitSchema<Extra extends z.ZodRawShape>(extra: Extra) {
  const of = <R extends Rule>(rule: R) =>
    mapping({ rule: z.literal(rule), ...rules[rule], ...extra }).describe(RULE_MEANINGS[rule]);
  return z.discriminatedUnion(
    'rule',
    [of('token-bucket'), of('fixed-window'), of('sliding-window'), of('per-minute')],
    says('is not a rule of a limit', `Allowed here: ${Object.keys(rules).join(', ')}.`),
  );
}

/** The limit of one key, whose use nobody else's counts towards. */
export const rateLimitSchema = limitSchema({});

/** A limit of a plan of faults. */
export const planLimitSchema = limitSchema({
  each: oneOf(
    ['service', 'key'],
    'service: all requests count together; key: each key alone',
  ).default('service'),
});

export type RateLimit = z.infer<typeof rateLimitSchema>;
export type PlanLimit = z.infer<typeof planLimitSchema>;
export type Algorithm<R extends Rule> = Extract<RateLimit, { rule: R }>;
export type Rejection = RateLimit['reject'];
