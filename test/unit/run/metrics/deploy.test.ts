import { access, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { z } from 'zod';
import { FAMILIES } from '../../../../src/run/metrics/families.ts';

/**
 * Goal: the rules and the dashboard in docs/deploy are whole, and their texts use labels that windrow
 * writes. test/operating reads their expressions.
 */

const DEPLOY = new URL('../../../../docs/deploy/', import.meta.url);
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
      targets: z.array(z.object({ legendFormat: z.string() })),
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

/** Labels in texts such as `{{pipeline}} {{ $labels.axis }}`. */
function labelsIn(template: string): string[] {
  return [...template.matchAll(/\{\{\s*(?:\$labels\.)?([a-z_]+)\s*\}\}/g)].map(
    ([, name = '']) => name,
  );
}

describe('docs/deploy', () => {
  it('has alert rules, each with the next step', async () => {
    const { groups } = rulesSchema.parse(parse(await text('alert-rules.yaml')));
    const rules = groups.flatMap(({ rules: members }) => members);
    expect(rules.length).toBeGreaterThan(5);
    expect(new Set(rules.map(({ alert }) => alert)).size).toBe(rules.length);
    for (const { alert, annotations } of rules) {
      const named = labelsIn(annotations.summary).filter((name) => !ALL_LABELS.has(name));
      expect(named, alert).toEqual([]);
    }
  });

  it('has a dashboard whose legends and lists are of metrics that exist', async () => {
    const dashboard = dashboardSchema.parse(JSON.parse(await text('grafana/windrow.json')));
    expect(new Set(dashboard.panels.map(({ id }) => id)).size).toBe(dashboard.panels.length);
    for (const { title, targets } of dashboard.panels) {
      for (const { legendFormat } of targets) {
        expect(
          labelsIn(legendFormat).filter((name) => !ALL_LABELS.has(name)),
          title,
        ).toEqual([]);
      }
    }
    for (const { definition } of dashboard.templating.list) {
      expect(LABELS.has(/^label_values\((\w+), pipeline\)$/.exec(definition)?.[1] ?? '')).toBe(
        true,
      );
    }
  });

  it('has containers that mount files of this folder, and a scrape of the port of windrow', async () => {
    const { services } = composeSchema.parse(parse(await text('docker-compose.yaml')));
    for (const { volumes } of Object.values(services)) {
      const mounted = volumes.map((volume) => volume.split(':')[0] ?? '');
      const files = mounted.filter((path) => /^\.\/.*\.\w+$/.test(path));
      for (const path of files) await access(fileURLToPath(new URL(path, DEPLOY)));
    }
    const { scrape_configs: scrapes } = parse(await text('prometheus.yaml'));
    expect(scrapes[0].static_configs[0].targets).toEqual(['windrow:9464']);
    expect(services['windrow']?.command).toContain('--metrics-port=0.0.0.0:9464');
    expect(services['prometheus']?.volumes.join()).toContain('./alert-rules.yaml');
  });
});
