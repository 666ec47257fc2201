import { z } from 'zod';
import { durationField, durationMsIn } from './syntax/duration.ts';
import { fileName, mapping, oneOf, says, textField, wholeNumberField } from './syntax/fields.ts';

/** The conditions of alert rules; see docs/alerts.md. */
export const ALERT_CONDITIONS = [
  'failed',
  'partial',
  'stale',
  'checks',
  'drift',
  'quarantine',
  'recovered',
] as const;
export type AlertCondition = (typeof ALERT_CONDITIONS)[number];

/** Where a secret is kept: pipelines are under version control and hold none. */
export type SecretFrom =
  | { readonly kind: 'environment'; readonly name: string }
  /** A file that only its owner may read; relative to the folder of the pipeline. */
  | { readonly kind: 'file'; readonly file: string };

export interface WebhookSettings {
  readonly kind: 'webhook';
  /** The URL is a secret: many receivers accept whoever knows it. */
  readonly url: SecretFrom;
  readonly signingKey?: SecretFrom;
}

export interface EmailSettings {
  readonly kind: 'email';
  readonly host: string;
  readonly port: number;
  readonly security: 'tls' | 'starttls' | 'none';
  readonly from: string;
  readonly to: readonly string[];
  readonly user?: SecretFrom;
  readonly password?: SecretFrom;
}

export interface CommandSettings {
  readonly kind: 'command';
  /** Program and arguments; no shell interprets them. */
  readonly command: readonly string[];
}

export type AlertDestination = WebhookSettings | EmailSettings | CommandSettings;

export interface AlertRule {
  /** Unique in the pipeline: `failed`, or `stale after 26h`. */
  readonly id: string;
  readonly on: AlertCondition;
  /** The longest time without a successful run (`stale`). */
  readonly afterMs: number;
  /** At most one alert of the rule in this time. */
  readonly everyMs: number;
  /** Names of destinations. */
  readonly to: readonly string[];
}

export interface AlertSettings {
  readonly destinations: Readonly<Record<string, AlertDestination>>;
  readonly rules: readonly AlertRule[];
  /** The URL to request after each successful run. */
  readonly heartbeat?: SecretFrom;
}

/** Names of the environment variables that hold secrets of alerts. */
export function alertVariables({ destinations, heartbeat }: AlertSettings): readonly string[] {
  const from = Object.values(destinations).flatMap((each) => {
    if (each.kind === 'webhook') return [each.url, each.signingKey];
    return each.kind === 'email' ? [each.user, each.password] : [];
  });
  const variables = [...from, heartbeat].flatMap((each) =>
    each?.kind === 'environment' ? [each.name] : [],
  );
  return [...new Set(variables)];
}

const PORTS = { tls: 465, starttls: 587, none: 25 } as const;

const secretFrom = mapping({
  env: textField(
    /^[A-Za-z_][A-Za-z0-9_]{0,127}$/,
    'is not the name of an environment variable',
    'Use letters, digits and underscores, as in ALERT_URL.',
    'The environment variable with the secret',
  ).optional(),
  file: fileName('A file with the secret alone, of mode 0600').optional(),
});

const address = (meaning: string) =>
  textField(
    /^[^\s@<>,;"]{1,128}@[^\s@<>,;"]{1,253}$/,
    'is not an e-mail address',
    'Write the bare address, as in data@example.org.',
    meaning,
  );

const destination = mapping({
  webhook: mapping({
    url: secretFrom.describe('The http or https URL, which may hold a token'),
    signingKey: secretFrom.optional().describe('The key of the HMAC-SHA256 signature'),
  })
    .optional()
    .describe('POST of a JSON document'),
  email: mapping({
    host: textField(
      /^[A-Za-z0-9.:_-]{1,253}$/,
      'is not a host name',
      'Write the name of the SMTP server, as in smtp.example.org.',
      'The SMTP server',
    ),
    port: wholeNumberField(
      1,
      65_535,
      'By default 465 (tls), 587 (starttls) or 25 (none)',
    ).optional(),
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
  })
    .optional()
    .describe('A message through an SMTP server'),
  command: z
    .array(
      z.string(says('is not text', 'Write it in quotes.')),
      says('is not a list of texts', 'Write program and arguments in brackets: [notify, "-v"].'),
    )
    .min(1, says('is an empty list', 'Name a program.'))
    .optional()
    .describe('A program and its arguments, without a shell; it reads the alert as JSON on stdin'),
});

const names = (meaning: string) =>
  z
    .array(
      z.string(says('is not the name of a destination', 'Name one of alerts.destinations.')),
      says('is not a list of destinations', 'Write their names in brackets.'),
    )
    .min(1, says('is an empty list', 'Name a destination, or remove the key for all of them.'))
    .describe(meaning);

const rule = mapping({
  on: oneOf(ALERT_CONDITIONS, 'The condition'),
  after: durationField('Of stale: the longest time without a successful run').optional(),
  every: durationField('At most one alert of this rule in this time, by default 1d').optional(),
  to: names('Destinations; by default all').optional(),
});

/** The `alerts` of a pipeline. */
export const alertsSchema = mapping({
  destinations: z
    .record(
      z
        .string()
        .regex(
          /^[a-z0-9][a-z0-9-]{0,63}$/,
          says('is not the name of a destination', 'Use lower-case letters, digits and hyphens.'),
        ),
      destination,
      says('is not a mapping', 'Name destinations, as in team: { webhook: ... }.'),
    )
    .prefault({})
    .describe('Where alerts are sent, by name'),
  every: durationField('At most one alert of each rule in this time').default('1d'),
  rules: z
    .array(rule, says('is not a list of rules', 'Begin each rule with a hyphen.'))
    .default([])
    .describe('The conditions that send an alert'),
  heartbeat: secretFrom.optional().describe('The URL to request after each successful run'),
});

type AlertsSource = z.infer<typeof alertsSchema>;
type SecretSource = z.infer<typeof secretFrom>;

/** The alerts of a valid file; `checkAlerts` has checked what several fields say together. */
export function toAlerts(given: AlertsSource): AlertSettings {
  const all = Object.keys(given.destinations);
  return {
    destinations: Object.fromEntries(
      Object.entries(given.destinations).map(([name, each]) => [name, toDestination(each)]),
    ),
    rules: given.rules.map(({ on, after, every = given.every, to = all }) => ({
      id: ruleId(on, after),
      on,
      afterMs: after === undefined ? 0 : (durationMsIn(after) ?? 0),
      everyMs: durationMsIn(every) ?? 0,
      to,
    })),
    ...(given.heartbeat === undefined ? {} : { heartbeat: toSecretFrom(given.heartbeat) }),
  };
}

/** The name of a rule in messages and in the stored state. */
export function ruleId(on: string, after: string | undefined): string {
  return after === undefined ? on : `${on} after ${after}`;
}

function toDestination({ webhook, email, command }: z.infer<typeof destination>): AlertDestination {
  if (webhook !== undefined) {
    const { url, signingKey } = webhook;
    const key = signingKey === undefined ? {} : { signingKey: toSecretFrom(signingKey) };
    return { kind: 'webhook', url: toSecretFrom(url), ...key };
  }
  if (email !== undefined) {
    const { user, password, port = PORTS[email.security], ...rest } = email;
    return {
      kind: 'email',
      ...rest,
      port,
      ...(user === undefined ? {} : { user: toSecretFrom(user) }),
      ...(password === undefined ? {} : { password: toSecretFrom(password) }),
    };
  }
  return { kind: 'command', command: command ?? [] };
}

function toSecretFrom({ env, file }: SecretSource): SecretFrom {
  return env === undefined
    ? { kind: 'file', file: file ?? '' }
    : { kind: 'environment', name: env };
}
