import { computedOnce, Recent } from '../memory/recent.ts';
import type { Rpc } from '../node/rpc.ts';
import { examplesFrom } from '../openapi/examples.ts';
import { asyncApiDocument, openRpcDocument } from '../openapi/node-documents.ts';
import { openApiDocument } from '../openapi/openapi.ts';
import { JSON_TYPE, refused, type ServiceResponse } from '../protocol/exchange.ts';
import type { Source } from '../protocol/source.ts';
import type { FullSettings } from '../settings/settings.ts';
import type { StreamServer } from '../stream/stream-server.ts';
import { METRICS_TYPE, type Metrics } from './metrics.ts';
import { type ReadReference, referenceFilePages, referencePage } from './reference-page.ts';

export interface PagesOptions {
  readonly settings: FullSettings;
  readonly source: Source;
  readonly metrics: Metrics;
  readonly nodes: Nodes;
  /** Reads the files of the API reference. Absent: /docs is not there. */
  readonly readReference?: ReadReference | undefined;
}

/** The public nodes of chains, by their paths. */
export interface Nodes {
  readonly rpcs: ReadonlyMap<string, Pick<Rpc, 'answer'>>;
  readonly streams: ReadonlyMap<string, Pick<StreamServer, 'clients'>>;
}

/** Pages about the served records, beside those of the service itself. */
export interface RecordPages {
  has(path: string): boolean;
  /** `search` is the query, without its question mark. */
  answer(path: string, search: string): Promise<ServiceResponse>;
}

/** Writes one of the service's own pages, for a client that names the service by this host. */
export type Page = (host: string) => ServiceResponse | Promise<ServiceResponse>;

/** The service's own pages by path. They take GET and need no signature. */
export function pagesOf(options: PagesOptions): ReadonlyMap<string, Page> {
  const { settings, source, metrics, nodes, readReference } = options;
  const paths = { rpcs: [...nodes.rpcs.keys()], streams: [...nodes.streams.keys()] };
  const documents = new Recent<Promise<string>>(1);
  const document = async () =>
    JSON.stringify(openApiDocument(settings, source.names, await examplesFrom(source), paths));
  return new Map<string, Page>([
    ['/healthz', () => health(source)],
    ['/metrics', async () => fine(METRICS_TYPE, await metrics.text())],
    ['/openapi.json', async () => fine(JSON_TYPE, await computedOnce(documents, '', document))],
    ...documentPage('/openrpc.json', paths.rpcs, openRpcDocument),
    ...documentPage('/asyncapi.json', paths.streams, asyncApiDocument),
    ...(readReference === undefined
      ? []
      : [
          ['/docs', referencePage] as const,
          ['/docs/', referencePage] as const,
          ...referenceFilePages(readReference),
        ]),
  ]);
}

/** The page of a document about nodes at these paths, if there are any. */
function documentPage(
  page: string,
  paths: readonly string[],
  write: (paths: readonly string[], host: string) => object,
): [string, Page][] {
  if (paths.length === 0) return [];
  return [[page, (host) => fine(JSON_TYPE, JSON.stringify(write(paths, host)))]];
}

function fine(type: string, body: string): ServiceResponse {
  return { status: 200, headers: { 'content-type': type }, body };
}

/** Whether the source gives its heads; a lost source throws. */
function health(source: Source): ServiceResponse {
  try {
    const heights = {
      primaryHeight: String(source.head('primary')),
      zoneHeight: String(source.head('zone')),
    };
    return fine(JSON_TYPE, JSON.stringify({ status: 'ok', ...heights }));
  } catch {
    return refused('unavailable', 'the source of the records cannot be read');
  }
}
