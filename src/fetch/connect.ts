import { z } from 'zod';
import { endpoints } from '../catalogue/index.ts';
import type { Effects } from '../effects.ts';
import { DEFAULT_RATE, type QueriedService } from '../pipeline/source-settings.ts';
import type { Caller } from './http/caller.ts';
import { Client } from './http/client.ts';
import { waitText } from './http/patience.ts';
import type { Credentials } from './http/signature.ts';
import type { ClientStatistics } from './http/statistics.ts';
import { Admission, type LongWait, type Quota } from './limits/admission.ts';
import { RequestLimits } from './limits/request-limits.ts';
import type { PaceCell } from './rate/cell/pace-cell.ts';
import type { PaceRecord } from './rate/pace-record.ts';
import { Pacer, type PacerExplanation } from './rate/pacer.ts';
import { RpcClient } from './rpc/rpc-client.ts';
import type { Environment } from './transport/proxy.ts';
import { type HttpSource, type Transport, undiciTransport } from './transport/transport.ts';
import { ListFacts, listFactsSchema } from './walk/list-facts.ts';

/**
 * Settings learned from one source and kept from run to run: its limits and quirks, never records.
 */
export const learnedSchema = z.object({
  pacer: z.object({ ceilingPerSecond: z.number().positive().nullable() }),
  listing: z.record(z.string(), z.enum(['once', 'per-key'])),
  ceilings: listFactsSchema.default({}),
});
export type SourceMemory = z.infer<typeof learnedSchema>;

/** A client of one source, with the facts that this and earlier runs learned about it. */
export interface Connection {
  readonly caller: Caller;
  readonly facts: ListFacts;
  statistics(): ClientStatistics;
  /** The current rate, the cause that limits it, and the known rate limit of the source. */
  pace(): PacerExplanation;
  /** Most requests in flight at the current rate and latency. */
  mostInFlight(): number;
  /** Requests per second that a plan may assume. */
  expectedPerSecond(): number;
  learned(): SourceMemory;
  /** The limits of the run, which end it in good order. */
  readonly limits: RequestLimits;
  /**
   * A client of a JSON-RPC endpoint, which is closed with the connection. It shares the pacer, the
   * quota and the limits of the connection, and sends no headers of the key.
   */
  rpc(url: string): RpcClient;
  /** Calls the listener when a long wait begins, until the returned function is called. */
  onLongWait(listener: (wait: LongWait) => void): () => void;
  close(): Promise<void>;
}

/** A plan assumes this rate where no maximum is stated and no run has learned the limit. */
const EXPECTED_PER_SECOND = 50;

export interface ConnectOptions {
  /** The longest wait for the service or the quota that the run accepts; a longer one ends it. */
  readonly maxWaitMs?: number | undefined;
  /** Default: none. */
  readonly limits?: RequestLimits | undefined;
  readonly quota?: Quota | undefined;
  /** The pace of all processes with the key. */
  readonly cell?: PaceCell<PaceRecord> | undefined;
  /** Reads the credentials again after the service has refused a key that it had accepted. */
  readonly renewCredentials?: (() => Promise<Credentials | undefined>) | undefined;
  /** Default: over HTTP, to the URL of the source. */
  readonly transport?: HttpSource | undefined;
  /** Variables that name proxies. */
  readonly env?: Environment | undefined;
}

/**
 * Opens no socket before the first request. Without credentials, requests are not signed. Without a
 * listener, long waits are logged.
 */
export function connect(
  source: QueriedService,
  credentials: Credentials | undefined,
  learned: SourceMemory | undefined,
  effects: Effects,
  options: ConnectOptions = {},
): Connection {
  const { maxWaitMs, quota, cell, renewCredentials } = options;
  const { transport = overHttp(source, options.env) } = options;
  const limits = options.limits ?? new RequestLimits();
  const listeners = new Set<(wait: LongWait) => void>();
  const pacer = new Pacer({ effects, ...source.rate, memory: learned?.pacer, cell });
  const onLongWait = (wait: LongWait): void => {
    if (listeners.size === 0) effects.log('warn', waitText(wait));
    for (const listener of listeners) listener(wait);
  };
  const admitting = { effects, limits, onLongWait, maxWaitMs, quota };
  const client = new Client({
    ...source,
    ...admitting,
    transport: source.timeUnit === 's' ? inMilliseconds(transport.send) : transport.send,
    basePath: transport.basePath,
    pacer,
    origin: new URL(source.url).origin,
    credentials,
    renewCredentials,
  });
  const rpcs: HttpSource[] = [];
  const facts = new ListFacts(learned?.ceilings ?? {}, learned?.listing);
  return {
    caller: client,
    facts,
    limits,
    statistics: () => client.statistics(),
    pace: () => pacer.explain(),
    mostInFlight: () => client.mostInFlight(),
    expectedPerSecond: () => {
      const { maxPerSecond } = source.rate;
      const isStated = maxPerSecond < DEFAULT_RATE.maxPerSecond;
      const unlearned = isStated ? maxPerSecond : EXPECTED_PER_SECOND;
      return Math.min(maxPerSecond, learned?.pacer.ceilingPerSecond ?? unlearned);
    },
    learned: () => ({
      pacer: pacer.memory(),
      listing: facts.repeatModes(),
      ceilings: facts.memory(),
    }),
    rpc: (address) => {
      const rpcTransport = overHttp({ ...source, url: address }, options.env);
      rpcs.push(rpcTransport);
      const { origin } = new URL(address);
      const admission = new Admission(admitting);
      return new RpcClient({ transport: rpcTransport, origin, pacer, admission, effects });
    },
    onLongWait: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: async () => {
      for (const httpSource of [transport, ...rpcs]) await httpSource.close();
    },
  };
}

/** The transport over HTTP to the URL of a source or a node, through a proxy that `env` names. */
export function overHttp(
  { url, concurrency, timeouts }: Pick<QueriedService, 'url' | 'concurrency' | 'timeouts'>,
  env: Environment | undefined,
): HttpSource {
  return undiciTransport({
    baseUrl: url,
    connections: concurrency,
    timeouts,
    env,
  });
}

const NAMES = new Set(
  endpoints.flatMap(({ fields }) =>
    fields.flatMap(({ kind, wire, aliases }) => (kind.name === 'time' ? [wire, ...aliases] : [])),
  ),
);
const TIMES = new RegExp(
  `"(?:${[...NAMES].join('|')})"\\s*:\\s*"?[1-9][0-9]{0,11}(?=["\\s,}])`,
  'g',
);

/** A transport whose replies have times in milliseconds, over one that has them in seconds. */
export function inMilliseconds(send: Transport): Transport {
  return async (request, signal) => {
    const response = await send(request, signal);
    return { ...response, body: response.body.replace(TIMES, (time) => `${time}000`) };
  };
}
