import { z } from 'zod';
import {
  mapping,
  oneOf,
  plainNumber,
  says,
  textField,
  wholeNumberField,
  yesOrNo,
} from '../../../src/pipeline/syntax/fields.ts';

/** The schema of rate limits, in a plan of faults and for one key. */

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
    'Write one to nine digits; code 0 makes a rejection look like an empty answer.',
    'Code of the envelope; 0 with data: list looks like an empty answer',
  ).default('50011'),
  message: textField(
    /^.{0,200}$/,
    'is not a message',
    'Write one line of at most 200 characters.',
    'Value of msg',
  ).default('Too Many Requests'),
  retryAfter: yesOrNo('Whether the answer has Retry-After').default(false),
  data: oneOf(['list', 'none'], 'list: with an empty data; none: without').default('list'),
});

const common = {
  requests: requests('Number of granted requests'),
  changes: z
    .array(
      mapping({
        afterSeconds: seconds('Time from the start of the limit'),
        requests: requests('Number of granted requests from then on'),
      }),
      says('is not a list of changes', 'Write a list of mappings with afterSeconds and requests.'),
    )
    .max(100, says('is too long', 'Name at most 100 changes.'))
    .refine(
      (changes) =>
        changes.every((change, i) => i === 0 || change.afterSeconds > before(changes, i)),
      says('are not in order', 'Sort them by afterSeconds, with each time once.'),
    )
    .optional()
    .describe('Changes of the number of granted requests'),
  ban: mapping({
    rejections: wholeNumberField(1, 10_000, 'Number of rejections that starts a ban'),
    withinSeconds: seconds('Time span of these rejections'),
    seconds: seconds('Length of the ban'),
  })
    .optional()
    .describe('Rejects all requests for a while after too many rejections'),
  reject: reject.prefault({}).describe('Form of a rejection'),
};

function before(changes: readonly { readonly afterSeconds: number }[], at: number): number {
  return changes[at - 1]?.afterSeconds ?? 0;
}

const windowSeconds = seconds('Length of the window; always 60 with per-minute').default(1);

/** Limits by their rule. */
const rules = {
  'token-bucket': {
    ...common,
    seconds: windowSeconds,
    burst: requests('Token bucket size; by default equal to requests').optional(),
  },
  'fixed-window': { ...common, seconds: windowSeconds },
  'sliding-window': { ...common, seconds: windowSeconds },
  'per-minute': common,
};
type Rule = keyof typeof rules;

function limitSchema<Extra extends z.ZodRawShape>(extra: Extra) {
  const rule = <R extends Rule>(name: R, meaning: string) =>
    mapping({ rule: z.literal(name), ...rules[name], ...extra }).describe(meaning);
  return z.discriminatedUnion(
    'rule',
    [
      rule('token-bucket', 'Tokens refill steadily up to the burst, and each request takes one'),
      rule(
        'fixed-window',
        'Bounds the requests in each window; windows begin at multiples of their length',
      ),
      rule('sliding-window', 'Bounds the requests in every interval of that length'),
      rule('per-minute', 'Bounds the requests in each minute of the clock'),
    ],
    says('is not a rate limit rule', `Allowed here: ${Object.keys(rules).join(', ')}.`),
  );
}

/** The limit of one key, which counts the requests of that key alone. */
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
