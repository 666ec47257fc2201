import type { Effects } from '../../effects.ts';
import type { RunTraces } from './otlp-traces.ts';

const ENDPOINTS = ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/** Whether the standard variables of OpenTelemetry ask for traces. */
function areWanted(env: NodeJS.ProcessEnv): boolean {
  const isOff = env['OTEL_SDK_DISABLED']?.toLowerCase() === 'true';
  const { OTEL_TRACES_EXPORTER: exporter = 'otlp' } = env;
  return !isOff && exporter !== 'none' && ENDPOINTS.some((name) => (env[name] ?? '') !== '');
}

/**
 * Traces to the collector that the variables of OpenTelemetry name; undefined without one. The
 * libraries are loaded only then.
 */
export async function openTraces(
  env: NodeJS.ProcessEnv,
  effects: Pick<Effects, 'log'>,
): Promise<RunTraces | undefined> {
  if (!areWanted(env)) return undefined;
  const { otlpTraces } = await import('./otlp-traces.ts');
  return otlpTraces(env, effects);
}
