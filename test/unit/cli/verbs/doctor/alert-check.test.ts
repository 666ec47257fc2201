import { expect, it } from 'vitest';
import { checkAlertSecrets } from '../../../../../src/cli/verbs/doctor/alert-check.ts';

const ALERTS = {
  destinations: {
    team: { kind: 'webhook', url: { kind: 'environment', name: 'ALERT_URL' } },
  },
  rules: [],
  heartbeat: { kind: 'environment', name: 'HEARTBEAT_URL' },
} as const;

it('warns of secrets of alerts that the environment lacks, before the first alert is due', () => {
  const [missing] = checkAlertSecrets(ALERTS, { ALERT_URL: ' ' });
  expect(missing).toMatchObject({
    check: 'alerts',
    verdict: 'warn',
    finding: 'The environment lacks ALERT_URL, HEARTBEAT_URL.',
  });
  const [there] = checkAlertSecrets(ALERTS, { ALERT_URL: 'http://a', HEARTBEAT_URL: 'http://b' });
  expect(there).toMatchObject({ check: 'alerts', verdict: 'ok' });
});

it('says nothing where the pipeline has no alerts', () => {
  expect(checkAlertSecrets({ destinations: {}, rules: [] }, {})).toEqual([]);
});
