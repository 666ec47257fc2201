import { type Context, ROOT_CONTEXT, SpanStatusCode, trace } from '@opentelemetry/api';
import { OTLPTraceExporter as JsonExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { OTLPTraceExporter as ProtobufExporter } from '@opentelemetry/exporter-trace-otlp-proto';
import { detectResources, envDetector, resourceFromAttributes } from '@opentelemetry/resources';
import {
  BasicTracerProvider,
  BatchSpanProcessor,
  type SpanExporter,
} from '@opentelemetry/sdk-trace-base';
import type { Effects, Traces } from '../../effects.ts';
import { wordsOf } from '../../fault.ts';
import { windrowVersion } from '../job/version.ts';

/** The traces of a process; `close` sends the spans that wait. */
export interface RunTraces extends Traces {
  close(): Promise<void>;
}

/** A collector that does not answer delays the end of a run by this at most. */
const TIMEOUT_MS = 5_000;
const SUCCESS = 0;

/**
 * Traces over OTLP/HTTP. The exporter itself reads the address, headers, time limit and other
 * settings from the standard variables. Spans that cannot be delivered are dropped, with a warning.
 */
export function otlpTraces(env: NodeJS.ProcessEnv, { log }: Pick<Effects, 'log'>): RunTraces {
  const version = windrowVersion();
  const named = resourceFromAttributes({ 'service.name': 'windrow', 'service.version': version });
  const provider = new BasicTracerProvider({
    resource: named.merge(detectResources({ detectors: [envDetector] })),
    spanProcessors: [new BatchSpanProcessor(warning(exporterOf(env), log))],
  });
  const tracer = provider.getTracer('windrow', version);
  let root: Context = ROOT_CONTEXT;
  return {
    async span(name, attributes, work) {
      const span = tracer.startSpan(name, { attributes }, root);
      if (name === 'run') root = trace.setSpan(ROOT_CONTEXT, span);
      try {
        return await work((more) => span.setAttributes(more));
      } catch (error) {
        span.setStatus({ code: SpanStatusCode.ERROR, message: wordsOf(error) });
        throw error;
      } finally {
        span.end();
        if (name === 'run') root = ROOT_CONTEXT;
      }
    },
    // Failures have been logged; they must not hide the end of the run.
    close: () => provider.shutdown().catch(() => undefined),
  };
}

function exporterOf(env: NodeJS.ProcessEnv): SpanExporter {
  const isSet = env['OTEL_EXPORTER_OTLP_TRACES_TIMEOUT'] ?? env['OTEL_EXPORTER_OTLP_TIMEOUT'];
  const limit = isSet === undefined ? { timeoutMillis: TIMEOUT_MS } : {};
  const protocol = env['OTEL_EXPORTER_OTLP_TRACES_PROTOCOL'] ?? env['OTEL_EXPORTER_OTLP_PROTOCOL'];
  return protocol === 'http/json' ? new JsonExporter(limit) : new ProtobufExporter(limit);
}

/** The exporter, which also logs its first failure; the reason could quote a header. */
function warning(exporter: SpanExporter, log: Effects['log']): SpanExporter {
  let isLogged = false;
  return {
    export: (spans, done) => {
      exporter.export(spans, (result) => {
        if (result.code !== SUCCESS && !isLogged) {
          isLogged = true;
          log('warn', 'Traces were not delivered: the collector does not answer or refuses them.');
        }
        done(result);
      });
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => exporter.forceFlush?.(),
  };
}
