import { shellQuoted } from '../../../fault.ts';
import {
  elsewhere,
  runCommand,
  type ScheduledJob,
  type SchedulerFile,
  stepsBefore,
  wholeSecondsOf,
} from './scheduled-job.ts';

/** A DAG with one task, with places of the worker: it may be another machine. */
export function airflowDag(job: ScheduledJob): SchedulerFile[] {
  const { name, schedule } = job;
  const { cron, timeZone, timeoutMs, onOverlap } = schedule;
  const placed = elsewhere(job);
  const run = runCommand(placed).map(shellQuoted).join(' ');
  const command = [...stepsBefore(placed), `exec ${run}`].join(' && ');
  const identifier = `windrow_${name.replaceAll('-', '_')}`;
  // Airflow renders text that ends in .sh or .bash as the name of a template, and braces in it.
  const bash = JSON.stringify(`${withoutTemplates(command)} `);
  const limit =
    timeoutMs === undefined ? 'None' : `timedelta(seconds=${wholeSecondsOf(timeoutMs)})`;
  const text = `from datetime import timedelta

import pendulum
from airflow import DAG

try:
    from airflow.providers.standard.operators.bash import BashOperator
except ImportError:  # Airflow 2
    from airflow.operators.bash import BashOperator

# The worker needs windrow, the files of the pipeline in /etc/windrow, and the data root /data.
with DAG(
    dag_id=${JSON.stringify(identifier)},
    schedule=${JSON.stringify(cron)},
    start_date=pendulum.datetime(2026, 1, 1, tz=${JSON.stringify(timeZone)}),
    catchup=False,
    max_active_runs=1,
) as dag:
    BashOperator(
        task_id="run",
        bash_command=${bash},
        append_env=True,
        # Exit code 5: another run holds the data root.
        skip_on_exit_code=${onOverlap === 'skip' ? '5' : 'None'},
        retries=${onOverlap === 'skip' ? '0' : '3'},
        execution_timeout=${limit},
    )
`;
  return [{ name: `${identifier}.py`, text }];
}

/** The text in which Jinja finds no expression, statement or comment of its own. */
function withoutTemplates(text: string): string {
  return text.replace(/\{(?=[{%#])/g, "{{ '{' }}");
}
