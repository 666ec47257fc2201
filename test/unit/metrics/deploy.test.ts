import { access, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { parser } from '@prometheus-io/lezer-promql';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { FAMILIES } from '../../../src/metrics/families.ts';

/** Goal: the rules and the dashboard in docs/deploy use metrics and labels that windrow writes. */

const DEPLOY = new URL('../../../docs/deploy/', import.meta.url);
const LABELS = new Map(
  FAMILIES.map(({ name, labels }) => [name, new Set(['pipeline', ...labels])] as const),
);
const ALL_LABELS = new Set([...LABELS.values()].flatMap((labels) => [...labels]));

const rulesSchema = z.object({
  groups: z.array(
    z.object({
      rules: z.array(
        z.object({
          alert: z.string(),
          expr: z.string(),
          labels: z.object({ severity: z.enum(['critical', 'warning']) }),
          annotations: z.object({ summary: z.string(), description: z.string() }),
        }),
      ),
    }),
  ),
});
const dashboardSchema = z.object({
  uid: z.string(),
  templating: z.object({ list: z.array(z.object({ definition: z.string() })) }),
  panels: z.array(
    z.object({
      id: z.number(),
      title: z.string(),
      targets: z.array(z.object({ expr: z.string(), legendFormat: z.string() })),
    }),
  ),
});
const composeSchema = z.object({
  services: z.record(
    z.string(),
    z.object({ volumes: z.array(z.string()), command: z.array(z.string()).optional() }),
  ),
});

function text(name: string): Promise<string> {
  return readFile(fileURLToPath(new URL(name, DEPLOY)), 'utf8');
}

interface Names {
  readonly metrics: Set<string>;
  readonly problems: string[];
}

/** The metrics of a PromQL expression, and everything that windrow does not write. */
function namesIn(expression: string): Names {
  const metrics = new Set<string>();
  const problems: string[] = [];
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
      if (type.name === 'LabelName') {
        const isMatched = node.parent?.type.name.endsWith('LabelMatcher') === true;
        const known = (isMatched ? (LABELS.get(metric) ?? ALL_LABELS) : ALL_LABELS).has(word);
        if (!known) problems.push(`unknown label ${word}`);
      }
    },
  });
  return { metrics, problems };
}

/** Labels in texts such as `{{pipeline}} {{ $labels.axis }}`. */
function labelsIn(template: string): string[] {
  return [...template.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(
    ([, name = '']) => name,
  );
}

describe('the reader of expressions', () => {
  it('finds unknown metrics, unknown labels and broken expressions', () => {
    expect(namesIn('sum by (pipeline) (windrow_run_rows{pipeline="a"})')).toEqual({
      metrics: new Set(['windrow_run_rows']),
      problems: [],
    });
    expect(namesIn('windrow_gone > 0').problems).toEqual(['unknown metric windrow_gone']);
    expect(namesIn('windrow_run_rows{gone="a"}').problems).toEqual(['unknown label gone']);
    expect(namesIn('windrow_run_rows{axis="a"}').problems).toEqual(['unknown label axis']);
    expect(namesIn('sum(').problems).not.toEqual([]);
  });
});

describe('docs/deploy', () => {
  it('has alert rules over metrics that exist, each with the next step', async () => {
    const { groups } = rulesSchema.parse(parse(await text('alert-rules.yaml')));
    const rules = groups.flatMap(({ rules: own }) => own);
    expect(rules.length).toBeGreaterThan(5);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, expr, annotations } of rules) {
      const { metrics, problems } = namesIn(expr);
      expect(problems, alert).toEqual([]);
      expect(metrics.size, alert).toBeGreaterThan(0);
      const named = labelsIn(annotations.summary).filter((name) => !ALL_LABELS.has(name));
      expect(named, alert).toEqual([]);
    }
  });

  it('has a dashboard over metrics that exist', async () => {
    const dashboard = dashboardSchema.parse(JSON.parse(await text('grafana/windrow.json')));
    const used = new Set<string>();
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, targets } of dashboard.panels) {
      for (const { expr, legendFormat } of targets) {
        const { metrics, problems } = namesIn(expr);
        expect(problems, title).toEqual([]);
        for (const name of metrics) used.add(name);
        expect(
          labelsIn(legendFormat).filter((name) => !ALL_LABELS.has(name)),
          title,
        ).toEqual([]);
      }
    }
    expect(used.size).toBeGreaterThan(10);
    for (const { definition } of dashboard.templating.list) {
      expect(LABELS.has(/^label_values\((\w+), pipeline\)$/.exec(definition)?.[1] ?? '')).toBe(
        true,
      );
    }
  });

  it('has containers that mount files of this folder, and a scrape of the port of windrow', async () => {
    const { services } = composeSchema.parse(parse(await text('docker-compose.yaml')));
    for (const { volumes } of Object.values(services)) {
      const mounted = volumes.map((each) => each.split(':')[0] ?? '');
      const files = mounted.filter((path) => /^\.\/.*\.\w+$/.test(path));
      for (const path of files) await access(fileURLToPath(new URL(path, DEPLOY)));
    }
    const { scrape_configs: scrapes } = parse(await text('prometheus.yaml'));
    expect(scrapes[0].static_configs[0].targets).toEqual(['windrow:9464']);
    expect(services['windrow']?.command).toContain('--metrics-port=0.0.0.0:9464');
    expect(services['prometheus']?.volumes.join()).toContain('./alert-rules.yaml');
  });
});
