import type { Effects } from '../../../effects.ts';
import { shellQuoted } from '../../../fault.ts';
import type { LoadedPipeline } from '../../../run/job/pipeline-file.ts';
import { alertProblems } from '../../../run/shell/alert-job.ts';
import { many } from '../../terminal/console.ts';
import { type Diagnosis, fine, warning } from './diagnosis.ts';

/** Whether the secrets of all alerts are there; no diagnosis if the pipeline has no alerts. */
export async function checkDestinations(
  loaded: Pick<LoadedPipeline, 'pipeline' | 'resolve' | 'file'>,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<readonly Diagnosis[]> {
  const { destinations, heartbeat } = loaded.pipeline.alerts;
  const count = Object.keys(destinations).length;
  const command = `windrow alerts test ${shellQuoted(loaded.file)}`;
  if (count === 0 && heartbeat === undefined) return [];
  const problems = await alertProblems(loaded, effects, env);
  if (problems.length > 0) {
    const text =
      'Variables belong in .env beside the pipeline, loaded before the run; files of secrets ' +
      'have mode 0600. Then send a test.';
    return [warning('alerts', `Not ready: ${problems.join('; ')}.`, { text, command })];
  }
  const ready = [
    ...(count === 0 ? [] : [many(count, 'destination')]),
    ...(heartbeat === undefined ? [] : ['the heartbeat']),
  ];
  const found = `The secrets of ${ready.join(' and ')} are there.`;
  const next = count === 0 ? '' : ` To send a test to each destination, run: ${command}`;
  return [fine('alerts', found + next)];
}
