import { z } from 'zod';
import { program } from './secret-command.ts';
import { mapping, oneOf, says, textField, wholeNumberField } from './syntax/fields.ts';
import type { Path } from './syntax/located-yaml.ts';
import type { Finding } from './syntax/schema-problems.ts';
import { secretFrom } from './syntax/secret-from.ts';

const address = (meaning: string) =>
  textField(
    /^[^\s@<>,;"]{1,128}@[^\s@<>,;"]{1,253}$/,
    'is not an e-mail address',
    'Write the bare address, as in data@example.org.',
    meaning,
  );

const emailSchema = mapping({
  host: textField(
    /^[A-Za-z0-9.:_-]{1,253}$/,
    'is not a host name',
    'Write the name of the SMTP server, as in smtp.example.org.',
    'The SMTP server',
  ),
  port: wholeNumberField(1, 65_535, 'By default 465 (tls), 587 (starttls) or 25 (none)').optional(),
  security: oneOf(
    ['tls', 'starttls', 'none'],
    'starttls refuses a server that does not offer it',
  ).default('starttls'),
  from: address('The sender'),
  to: z
    .array(address('A recipient'), says('is not a list of addresses', 'Write it in brackets.'))
    .min(1, says('is an empty list', 'Name at least one recipient.'))
    .max(50, says('has more than 50 addresses', 'Use a mailing list.')),
  user: secretFrom.optional(),
  password: secretFrom.optional(),
}).describe('A message through an SMTP server');

interface AlertChannel {
  readonly schema: z.ZodType;
  /** The settings that are secrets. */
  readonly secrets: readonly string[];
  /** Problems that several settings have together. */
  readonly check?: (settings: Readonly<Record<string, unknown>>, path: Path) => readonly Finding[];
}

/** The channels of alerts. `OPENERS` in src/run/alerts/deliver opens them. */
const CHANNELS = {
  webhook: {
    schema: mapping({
      url: secretFrom.describe('The http or https URL, which may hold a token'),
      signingKey: secretFrom.optional().describe('The key of the HMAC-SHA256 signature'),
    }).describe('POST of a JSON document'),
    // Many receivers take the URL itself for a credential.
    secrets: ['url', 'signingKey'],
  },
  email: { schema: emailSchema, secrets: ['user', 'password'], check: checkEmail },
  command: {
    schema: program.describe(
      'A program and its arguments, without a shell; it reads the alert as JSON on stdin',
    ),
    secrets: [],
  },
} satisfies Record<string, AlertChannel>;

export type Channel = keyof typeof CHANNELS;
export type ChannelSettings<C extends Channel> = z.infer<(typeof CHANNELS)[C]['schema']>;

export const CHANNEL_NAMES = Object.keys(CHANNELS) as readonly Channel[];

export function channelNamed(name: Channel): AlertChannel {
  return CHANNELS[name];
}

function checkEmail({ user, password, security }: Readonly<Record<string, unknown>>, path: Path) {
  const findings: Finding[] = [];
  if ((user === undefined) !== (password === undefined)) {
    findings.push({
      path,
      isOfKey: true,
      message: 'has only one of user and password',
      advice: 'Give both, or none for a server that asks for neither.',
    });
  }
  if (security === 'none' && password !== undefined) {
    findings.push({
      path: [...path, 'security'],
      message: 'would send the password over an open connection',
      advice: 'Use tls or starttls, or remove user and password.',
    });
  }
  return findings;
}
