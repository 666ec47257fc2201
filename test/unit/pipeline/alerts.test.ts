import { describe, expect, test } from 'vitest';
import { parsePipeline } from '../../../src/pipeline/read-pipeline.ts';
import { added, refusal } from '../../fixtures/pipeline-small.ts';

/** Goal: mistakes in `alerts` are reported with their place and a remedy, and show no secret. */

const HOOK =
  'alerts: { destinations: { team: { webhook: { url: { env: HOOK } } } }, rules: [RULES] }';
const withRules = (rules: string): string => added(HOOK.replace('RULES', rules));

test('rules have defaults', () => {
  const text = withRules('{ on: failed }, { on: stale, after: 26h, every: 12h, to: [team] }');
  const { alerts } = parsePipeline({ text, file: 'p.yaml' });
  expect(alerts).toEqual({
    destinations: { team: { kind: 'webhook', settings: { url: { env: 'HOOK' } } } },
    rules: [
      { id: 'failed', on: 'failed', afterMs: 0, everyMs: 86_400_000, to: ['team'] },
      {
        id: 'stale after 26h',
        on: 'stale',
        afterMs: 93_600_000,
        everyMs: 43_200_000,
        to: ['team'],
      },
    ],
  });
});

test('mail is encrypted unless the pipeline says otherwise', () => {
  const mail = 'email: { host: mx.example.org, from: a@example.org, to: [b@example.org] }';
  const text = added(`alerts: { destinations: { mail: { ${mail} } } }`);
  const { alerts } = parsePipeline({ text, file: 'p.yaml' });
  expect(alerts.destinations['mail']).toMatchObject({ settings: { security: 'starttls' } });
});

describe('mistakes', () => {
  test.each([
    ['{ on: stale }', 'needs after beside it'],
    ['{ on: failed, after: 3h }', 'has no effect on this condition'],
    ['{ on: failed }, { on: failed }', 'is the same rule as one above'],
    ['{ on: fails }', 'Did you mean failed?'],
    ['{ on: failed, every: 1 day }', 'is not a duration'],
    ['{ on: failed, every: 900d }', 'is longer than 20 days'],
    ['{ on: failed, to: [teem] }', 'Did you mean team?'],
  ])('of a rule: %s', (rules, words) => {
    const message = refusal(withRules(rules));
    expect(message).toContain(words);
    expect(message).toMatch(/^p\.yaml:12:[0-9]+: /);
  });

  test.each([
    ['{ team: {} }', 'has no kind'],
    ['{ team: { command: [a], webhook: { url: { env: A } } } }', 'has webhook and command'],
    ['{ team: { webhook: { url: {} } } }', 'has neither env nor file'],
    ['{ team: { webhook: { url: { env: A, file: b } } } }', 'has env and file'],
    [
      '{ m: { email: { host: h, from: a@b.c, to: [a@b.c], user: { env: A } } } }',
      'has only one of',
    ],
    [
      '{ m: { email: { host: h, from: a@b.c, to: [a@b.c], security: none, ' +
        'user: { env: A }, password: { env: B } } } }',
      'would send the password over an open connection',
    ],
    ['{ m: { email: { host: h, from: nobody, to: [a@b.c] } } }', 'is not an e-mail address'],
  ])('of a destination: %s', (destinations, words) => {
    expect(refusal(added(`alerts: { destinations: ${destinations} }`))).toContain(words);
  });

  test('rules without a destination', () => {
    expect(refusal(added('alerts: { rules: [{ on: failed }] }'))).toContain('has no destination');
  });

  test('a URL in the pipeline is refused without being shown', () => {
    const url = 'https://hooks.example.org/canary-token';
    const texts = [
      `alerts: { destinations: { team: { webhook: { url: "${url}" } } } }`,
      `alerts: { heartbeat: "${url}" }`,
    ];
    for (const text of texts) {
      const message = refusal(added(text));
      expect(message).not.toContain('canary');
      expect(message).toContain('is not a mapping');
    }
  });
});
