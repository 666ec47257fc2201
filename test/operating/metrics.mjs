import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ran, toolPath, windrow } from './tools.mjs';

/** The reader of the Python client of Prometheus, which fails at a malformed line. */
const READER = `
import json, sys
from prometheus_client.parser import text_string_to_metric_families
text = open(sys.argv[1], encoding="utf-8").read()
samples = [
    [sample.name, sample.labels, sample.value, family.type]
    for family in text_string_to_metric_families(text)
    for sample in family.samples
]
print(json.dumps(samples))
`;

/** The metrics of a run, read by Prometheus' own client and compared with the report of the run. */
export function readMetrics(tally, folder) {
  const file = join(folder, 'prom', 'windrow.prom');
  const data = join(folder, 'measured');
  const pipeline = join(folder, 'address-activity.yaml');
  const args = ['run', pipeline, '--data', data, '--metrics-file', file, '--quiet'];
  const run = windrow(args);
  tally.equal(
    'a quiet run with metrics ends with 0 and prints nothing',
    [run.code, run.output].join(),
    '0,',
  );
  const { code, output } = ran(toolPath('python3'), ['-c', READER, file]);
  tally.holds('prometheus_client reads the metrics', code === 0, output);
  if (code !== 0) return;
  const samples = JSON.parse(output);
  const valueIn = (name, labels = {}) =>
    samples.find(([metric, has]) => {
      return metric === name && Object.entries(labels).every(([key, value]) => has[key] === value);
    })?.[2];
  const report = JSON.parse(readFileSync(join(data, 'runs', 'last_run.json'), 'utf8'));
  tally.equal(
    'requests',
    valueIn('windrow_run_requests', { outcome: 'answered' }),
    report.actual.replies,
  );
  tally.equal('rows', valueIn('windrow_run_rows'), report.actual.rows);
  tally.equal('exit code', valueIn('windrow_last_run_exit_code'), report.exitCode);
  const tables = samples.filter(([name]) => name === 'windrow_table_rows').map(([, has]) => has);
  const onDisk = tables.filter(({ chain, dataset }) =>
    readdirSync(join(data, 'lake', chain)).includes(dataset),
  );
  tally.equal('tables', tables.length > 0 && onDisk.length, tables.length);
  tally.holds(
    'all are gauges',
    samples.every(([, , , type]) => type === 'gauge'),
  );
}
