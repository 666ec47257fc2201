import type { Gauge } from 'prom-client';
import { FAMILIES } from './families.ts';
import type { PipelineFigures } from './figures.ts';

/** The metrics in the text format of Prometheus. */
export async function exposition(of: PipelineFigures): Promise<string> {
  // Loaded here because few runs have metrics.
  const { default: client } = await import('prom-client');
  const registry = new client.Registry();
  for (const { name, help, labels, samples } of FAMILIES) {
    const found = samples(of);
    if (found.length === 0) continue;
    const labelNames = ['pipeline', ...labels];
    const gauge: Gauge = new client.Gauge({ name, help, labelNames, registers: [registry] });
    for (const { labels: own, value } of found) gauge.set({ pipeline: of.pipeline, ...own }, value);
  }
  return registry.metrics();
}
