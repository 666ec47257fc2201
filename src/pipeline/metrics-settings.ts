import { z } from 'zod';
import { asText, fileName, mapping, says } from './syntax/fields.ts';

/** An address of this machine that metrics are served on. */
export interface MetricsAddress {
  readonly host: string;
  readonly port: number;
}

const LOOPBACK = '127.0.0.1';
const ADDRESS = /^(?:([A-Za-z0-9.-]+|\[[0-9A-Fa-f:]+\]):)?([0-9]{1,5})$/;
const ADVICE = 'Write a port, or an address and a port, as in 9464 or 127.0.0.1:9464.';

/** The address in `9464`, `127.0.0.1:9464` or `[::1]:9464`; undefined for any other text. */
export function metricsAddress(text: string): MetricsAddress | undefined {
  const [, host = LOOPBACK, digits] = ADDRESS.exec(text) ?? [];
  const port = Number(digits);
  if (!(port >= 1 && port <= 65_535)) return undefined;
  return { host: host.replace(/^\[|\]$/g, ''), port };
}

/** The `metrics` of a pipeline. The file is relative to its folder. */
export const metricsSchema = mapping({
  file: fileName('A file that the node exporter of Prometheus reads (*.prom)')
    .refine(
      (name) => name.endsWith('.prom'),
      says('does not end in .prom', 'The textfile collector reads only files that do.'),
    )
    .optional(),
  listen: asText(
    z
      .string(says('is not a port', ADVICE))
      .refine((text) => metricsAddress(text) !== undefined, says('is not a port', ADVICE))
      .transform(metricsAddress),
  )
    .optional()
    .describe('Port on this machine, or address and port, that serves /metrics during a run'),
});

/** Where runs of a pipeline write their metrics; both are absent by default. */
export type MetricsSettings = Readonly<z.infer<typeof metricsSchema>>;
