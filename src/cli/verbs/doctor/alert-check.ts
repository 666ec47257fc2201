import { type AlertSettings, alertVariables } from '../../../pipeline/alert-settings.ts';
import { many } from '../../terminal/console.ts';
import { type Diagnosis, fine, warning } from './diagnosis.ts';

/** Whether the environment has the secrets of the alerts; no diagnosis if there are no alerts. */
export function checkAlertSecrets(
  alerts: AlertSettings,
  env: NodeJS.ProcessEnv,
): readonly Diagnosis[] {
  const destinations = Object.keys(alerts.destinations).length;
  const variables = alertVariables(alerts);
  if (destinations === 0 && variables.length === 0) return [];
  const unset = variables.filter((name) => (env[name] ?? '').trim() === '');
  if (unset.length > 0) {
    const finding = `The environment lacks ${unset.join(', ')}.`;
    const remedy =
      'Write them into .env beside the pipeline and load it; windrow alerts test sends a test.';
    return [warning('alerts', finding, remedy)];
  }
  const text = `${many(destinations, 'destination')}; windrow alerts test sends a test to each.`;
  return [fine('alerts', text)];
}
