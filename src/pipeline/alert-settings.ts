import { z } from 'zod';
import {
  CHANNEL_NAMES,
  type Channel,
  type ChannelSettings,
  channelNamed,
} from './alert-channels.ts';
import { durationField, durationMsIn, durationWords } from './syntax/duration.ts';
import { mapping, oneOf, says } from './syntax/fields.ts';
import { type SecretFrom, secretFrom } from './syntax/secret-from.ts';

/** The conditions of alert rules; see docs/alerts.md. */
const ALERT_CONDITIONS = [
  'failed',
  'partial',
  'stale',
  'checks',
  'reconciliation',
  'drift',
  'quarantine',
  'recovered',
] as const;

/** Where alerts are sent: a channel, and its settings. */
export type AlertDestination<C extends Channel = Channel> = {
  [Name in C]: { readonly kind: Name; readonly settings: ChannelSettings<Name> };
}[C];

/** Names of the environment variables that hold secrets of alerts. */
export function alertVariables({ destinations, heartbeat }: AlertSettings): readonly string[] {
  const secrets = Object.values(destinations).flatMap(({ kind, settings }) => {
    const values: Readonly<Record<string, unknown>> = { ...settings };
    return channelNamed(kind).secrets.map((name) => values[name] as SecretFrom | undefined);
  });
  const variables = [...secrets, heartbeat].flatMap((secret) => secret?.env ?? []);
  return [...new Set(variables)];
}

const destination = mapping(
  Object.fromEntries(CHANNEL_NAMES.map((name) => [name, channelNamed(name).schema.optional()])),
).transform((source) => {
  // `checkAlerts` refuses destinations of no channel, or of several.
  const kind = CHANNEL_NAMES.find((name) => source[name] !== undefined);
  return { kind, settings: kind && source[kind] } as AlertDestination;
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
  after: durationWords('Of stale: the longest time without a successful run').optional(),
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
  every: durationField('At most one alert of each rule in this time').prefault('1d'),
  rules: z
    .array(rule, says('is not a list of rules', 'Begin each rule with a hyphen.'))
    .default([])
    .describe('The conditions that send an alert'),
  heartbeat: secretFrom.optional().describe('The URL to request after each successful run'),
}).transform(({ destinations, every, rules, ...rest }) => ({
  ...rest,
  destinations,
  rules: rules.map(({ on, after, every: everyMs = every, to = Object.keys(destinations) }) => ({
    id: ruleId(on, after),
    on,
    afterMs: durationMsIn(after ?? '') ?? 0,
    everyMs,
    to,
  })),
}));

export type AlertSettings = Readonly<z.infer<typeof alertsSchema>>;
export type AlertRule = Readonly<AlertSettings['rules'][number]>;

/** The name of a rule in messages and in the stored state: `failed`, or `stale after 26h`. */
export function ruleId(on: string, after: string | undefined): string {
  return after === undefined ? on : `${on} after ${after}`;
}
