import type { Effects } from '../../effects.ts';
import { Fault } from '../../fault.ts';
import { overHttp } from '../../fetch/connect.ts';
import { Admission } from '../../fetch/limits/admission.ts';
import { Pacer } from '../../fetch/rate/pacer.ts';
import { RpcClient, type RpcClientOptions } from '../../fetch/rpc/rpc-client.ts';
import type { HttpSource } from '../../fetch/transport/transport.ts';
import { pendingUrl } from '../../pipeline/captures/pending-settings.ts';
import type { WitnessNode } from '../../pipeline/captures/witness-settings.ts';
import { urlProblem } from '../../pipeline/syntax/source-url.ts';
import { allowanceOf } from './allowance.ts';
import { privateText } from './credentials.ts';
import type { LoadedPipeline } from './pipeline-file.ts';

/** The nodes of a pipeline's reconciliations. */
export interface WitnessNodes {
  readonly nodes: readonly { readonly client: RpcClient; readonly origin: string }[];
  /** The pending state of the pipeline stands in for a node. */
  readonly isPending: boolean;
  close(): Promise<void>;
}

/** Calls per request: a node that allows fewer refuses, and then gets fewer. */
const BATCH_CALLS = 250;
const START_PER_SECOND = 10;
/** A node that answers nothing for this time is named, and left out. */
export const PATIENCE_MS = 30_000;
const WORDS = { subject: 'The witness', setting: 'witness' };

/** Opens clients of the nodes, each with a rate and a quota of its own; sends nothing yet. */
export async function openWitnessNodes(
  { pipeline, resolve }: Pick<LoadedPipeline, 'pipeline' | 'resolve'>,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<WitnessNodes> {
  const { source, pending, reconcile } = pipeline;
  const stand: WitnessNode[] =
    pending === undefined
      ? []
      : [{ url: pendingUrl(pending, source.url), maxPerSecond: 20, perDay: undefined }];
  const isPending = reconcile.witnesses.length === 0;
  const opened: NodeClient[] = [];
  const quotas: { close(): void }[] = [];
  for (const { url: place, maxPerSecond, perDay } of isPending ? stand : reconcile.witnesses) {
    const url = await addressIn(place, resolve, env);
    const startPerSecond = Math.min(START_PER_SECOND, maxPerSecond);
    const pacer = new Pacer({ effects, startPerSecond, maxPerSecond });
    const owner = { url, accessKey: undefined };
    const { quota } = await allowanceOf(owner, { perDay, isReal: false, effects, env });
    if (quota !== undefined) quotas.push(quota);
    const admission = new Admission({ effects, ...(quota === undefined ? {} : { quota }) });
    opened.push(nodeClient({ ...source, url }, env, { pacer, admission, effects }));
  }
  return {
    nodes: opened,
    isPending,
    async close() {
      for (const { transport } of opened) await transport.close();
      for (const quota of quotas) quota.close();
    },
  };
}

type NodeClient = WitnessNodes['nodes'][number] & { readonly transport: HttpSource };

/** The client of one node. */
export function nodeClient(
  source: Parameters<typeof overHttp>[0],
  env: NodeJS.ProcessEnv,
  around: Pick<RpcClientOptions, 'pacer' | 'admission' | 'effects'>,
): NodeClient {
  const { origin } = new URL(source.url);
  const transport = overHttp(source, env);
  const more = { words: WORDS, batchCalls: BATCH_CALLS, patienceMs: PATIENCE_MS };
  return { client: new RpcClient({ transport, origin, ...around, ...more }), origin, transport };
}

async function addressIn(
  place: WitnessNode['url'],
  resolve: (path: string) => string,
  env: NodeJS.ProcessEnv,
): Promise<string> {
  if (typeof place === 'string') return place;
  const { env: variable, file = '' } = place;
  const text =
    variable === undefined
      ? await privateText(resolve(file), 'Correct witness.url in the pipeline.')
      : env[variable];
  const url = text?.trim() ?? '';
  const problem = urlProblem(url);
  if (problem === undefined) return url;
  const { message, advice } = problem;
  // The address is not quoted: it may hold a token.
  throw new Fault('configuration', `The address of a witness in ${variable ?? file} ${message}.`, {
    advice,
  });
}
