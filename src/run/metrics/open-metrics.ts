import type { MetricsArguments, MetricsOf, RunMetrics } from './run-metrics.ts';

/** The metrics that the arguments or the pipeline name; their modules are loaded only then. */
export async function openMetrics(
  options: MetricsOf,
  destinations: MetricsArguments,
): Promise<RunMetrics | undefined> {
  const { file, listen } = options.loaded.pipeline.metrics;
  const { metricsFile, metricsPort } = destinations;
  if ([file, listen, metricsFile, metricsPort].every((name) => name === undefined))
    return undefined;
  const { RunMetrics } = await import('./run-metrics.ts');
  return RunMetrics.open(options, destinations);
}
