import type { Effects } from '../../effects.ts';
import type { Connection } from '../../fetch/connect.ts';
import type { Environment } from '../../fetch/transport/proxy.ts';
import type { Lake } from '../../land/lake.ts';
import { pendingUrl } from '../../pipeline/captures/pending-settings.ts';
import { streamUrl } from '../../pipeline/captures/stream-settings.ts';
import type { ContractCall } from '../../pipeline/csv/calls-file.ts';
import type { Pipeline } from '../../pipeline/pipeline.ts';
import type { Capture } from '../capture/capture.ts';
import { StreamCapture } from '../capture/stream-capture.ts';
import { PendingCapture } from '../pending/pending-capture.ts';

export interface CapturesOptions {
  readonly pipeline: Pipeline;
  readonly keys: Readonly<Record<string, readonly string[]>>;
  readonly calls: readonly ContractCall[];
  readonly lake: Lake;
  readonly connection: Connection;
  readonly effects: Effects;
  /** Variables that name proxies. */
  readonly env: Environment;
}

/** The captures of a pipeline, which its runs start. */
export function capturesOf(options: CapturesOptions): readonly Capture[] {
  const { stream, source } = options.pipeline;
  const { lake, effects, env } = options;
  const streams = stream === undefined ? [] : [{ ...stream, url: streamUrl(stream, source.url) }];
  return [
    ...streams.map((located) => new StreamCapture(located, lake, effects, env)),
    ...pendingCaptures(options),
  ];
}

function pendingCaptures(options: CapturesOptions): Capture[] {
  const { pipeline, keys, calls, lake, connection, effects } = options;
  const { pending, commit, source } = pipeline;
  if (pending === undefined) return [];
  const { reads, everyMs, keySet = '' } = pending;
  const rpc = connection.rpc(pendingUrl(pending, source.url));
  const addresses = keys[keySet] ?? [];
  return [new PendingCapture({ reads, everyMs, addresses, calls, rpc, lake, commit, effects })];
}
