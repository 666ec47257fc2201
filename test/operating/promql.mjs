import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { parse } from 'yaml';
import { packageOf } from '../interop/package-of.mjs';
import { REPOSITORY } from './tools.mjs';

/** The expressions of the alert rules and of the dashboard, read by the grammar of Prometheus. */

const { parser } = packageOf('test/operating', '@prometheus-io/lezer-promql');
const entryPoints = [`${REPOSITORY}src/run/metrics/families.ts`];
const bundled = { entryPoints, bundle: true, external: ['prom-client'] };
const [{ text: code }] = buildSync({ ...bundled, format: 'esm', write: false }).outputFiles;
const { FAMILIES } = await import(`data:text/javascript,${encodeURIComponent(code)}`);
const LABELS = new Map(
  FAMILIES.map(({ name, labels }) => [name, new Set(['pipeline', ...labels])]),
);
const ALL_LABELS = new Set([...LABELS.values()].flatMap((labels) => [...labels]));

/** Every metric and label of docs/deploy is one that windrow writes. */
export function readExpressions(tally) {
  const problemsOf = (expression) => namesIn(expression).problems.join('; ');
  for (const [expression, problem] of [
    ['windrow_gone > 0', 'unknown metric windrow_gone'],
    ['windrow_run_rows{gone="a"}', 'unknown label gone'],
    ['windrow_run_rows{axis="a"}', 'unknown label axis'],
    ['sum(', 'no PromQL at 4'],
  ]) {
    tally.equal(`${expression} has a problem`, problemsOf(expression), problem);
  }
  const { groups } = parse(readFileSync(`${REPOSITORY}docs/deploy/alert-rules.yaml`, 'utf8'));
  for (const { alert, expr } of groups.flatMap(({ rules }) => rules)) {
    tally.equal(`the expression of ${alert}`, problemsOf(expr), '');
    tally.holds(`${alert} is about a metric`, namesIn(expr).metrics.size > 0);
  }
  const { panels } = JSON.parse(
    readFileSync(`${REPOSITORY}docs/deploy/grafana/windrow.json`, 'utf8'),
  );
  const expressions = panels.flatMap(({ targets }) => targets.map(({ expr }) => expr));
  for (const expression of expressions) {
    tally.equal(`the panel of ${expression}`, problemsOf(expression), '');
  }
  const shown = new Set(expressions.flatMap((expression) => [...namesIn(expression).metrics]));
  tally.holds('the dashboard shows more than ten metrics', shown.size > 10, [...shown].join());
}

/** The metrics of an expression, and everything in it that windrow does not write. */
function namesIn(expression) {
  const metrics = new Set();
  const problems = [];
  let metric = '';
  parser.parse(expression).iterate({
    enter: ({ type, from, to, node }) => {
      const word = expression.slice(from, to);
      if (type.isError) problems.push(`no PromQL at ${from}`);
      if (type.name === 'VectorSelector') metric = /^\w+/.exec(word)?.[0] ?? '';
      if (type.name === 'Identifier') {
        metrics.add(word);
        if (!LABELS.has(word)) problems.push(`unknown metric ${word}`);
      }
      if (type.name !== 'LabelName') return;
      const isMatched = node.parent?.type.name.endsWith('LabelMatcher') === true;
      const labels = isMatched ? (LABELS.get(metric) ?? ALL_LABELS) : ALL_LABELS;
      if (!labels.has(word)) problems.push(`unknown label ${word}`);
    },
  });
  return { metrics, problems };
}
