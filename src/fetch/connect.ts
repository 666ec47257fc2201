import { z } from 'zod';
import type { Effects } from '../effects.ts';
import type { Source } from '../plan/pipeline-source.ts';
import type { Caller } from './caller.ts';
import { createClient } from './client.ts';
import { ListFacts, listFactsSchema } from './list-facts.ts';
import { Listing } from './listing.ts';
import { createPacer, type PacerExplanation } from './pacer.ts';
import type { Credentials } from './signature.ts';
import type { ClientStatistics } from './statistics.ts';
import { type HttpSource, undiciTransport } from './transport.ts';

/** What is remembered of one source from run to run: limits and quirks, never content. */
export const learnedSchema = z.object({
  pacer: z.object({ ceilingPerSecond: z.number().positive().nullable() }),
  listing: z.record(z.string(), z.enum(['once', 'per-key'])),
  ceilings: listFactsSchema.default({}),
});
export type Learned = z.infer<typeof learnedSchema>;

/** A source, ready to be asked. */
export interface Connection {
  readonly caller: Caller;
  readonly listing: Listing;
  readonly facts: ListFacts;
  statistics(): ClientStatistics;
  /** The rate of the moment, what limits it, and what is known of the source's own limit. */
  pace(): PacerExplanation;
  /** Requests per second a plan may count on. */
  expectedPerSecond(): number;
  learned(): Learned;
  close(): Promise<void>;
}

/** Decoded bodies above this are refused; a page of 100 records is some 60 KB. */
const MAX_BODY_BYTES = 64 * 1024 * 1024;

/**
 * Opens no socket before the first request. Credentials undefined: requests are not signed.
 * `transport` undefined: requests go over HTTP to the source's URL.
 */
export function connect(
  source: Source,
  credentials: Credentials | undefined,
  learned: Learned | undefined,
  effects: Effects,
  transport: HttpSource = overHttp(source),
): Connection {
  const pacer = createPacer({
    effects,
    ...source.rate,
    ...(learned === undefined ? {} : { memory: learned.pacer }),
  });
  const client = createClient({
    transport: transport.send,
    basePath: transport.basePath,
    pacer,
    effects,
    pathSegment: source.pathSegment,
    zoneSegment: source.zoneSegment,
    headerPrefix: source.headerPrefix,
    codes: source.codes,
    concurrency: source.concurrency,
    ...(credentials === undefined ? {} : { credentials }),
  });
  const listing = new Listing(learned?.listing ?? {});
  const facts = new ListFacts(learned?.ceilings ?? {});
  return {
    caller: client,
    listing,
    facts,
    statistics: () => client.statistics(),
    pace: () => pacer.explain(),
    expectedPerSecond: () =>
      Math.min(
        source.rate.maxPerSecond,
        learned?.pacer.ceilingPerSecond ?? source.rate.maxPerSecond,
      ),
    learned: () => ({
      pacer: pacer.memory(),
      listing: listing.memory(),
      ceilings: facts.memory(),
    }),
    close: () => transport.close(),
  };
}

function overHttp({ url, concurrency, timeouts }: Source): HttpSource {
  return undiciTransport({
    baseUrl: url,
    connections: concurrency,
    timeouts,
    maxBodyBytes: MAX_BODY_BYTES,
  });
}
