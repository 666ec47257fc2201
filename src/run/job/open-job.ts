import type { Effects } from '../../effects.ts';
import { wordsOf } from '../../fault.ts';
import { type ConnectOptions, connect, learnedSchema } from '../../fetch/connect.ts';
import type { Credentials } from '../../fetch/http/signature.ts';
import { openLake } from '../../land/lake.ts';
import { localDisk } from '../../land/storage/disk.ts';
import { layout } from '../../land/storage/layout.ts';
import { pendingUrl } from '../../pipeline/captures/pending-settings.ts';
import { streamUrl } from '../../pipeline/captures/stream-settings.ts';
import type { Capture } from '../capture/capture.ts';
import { streamCapture } from '../capture/stream-capture.ts';
import { PendingCapture } from '../pending/pending-capture.ts';
import type { Job } from '../run-job.ts';
import type { KeyQuota } from '../shared-key/daily-quota.ts';
import type { SharedState } from '../shared-key/shared-state.ts';
import { openState } from '../state-file.ts';
import { allowanceOf } from './allowance.ts';
import type { LoadedPipeline } from './pipeline-file.ts';
import { runName } from './run-name.ts';
import { windrowVersion } from './version.ts';

/** A pipeline with its source connected and its lake open: all that its work needs but stops. */
export interface OpenJob
  extends Omit<Job, 'softStop' | 'hardStop' | 'captures'>,
    Pick<Required<Job>, 'captures'> {
  /** The daily quota of the key; undefined if the pipeline has none. */
  readonly quota: KeyQuota | undefined;
  /** Closes connections; `learned` stores learned limits for the next run. */
  close(keep: 'learned' | 'nothing'): Promise<void>;
}

export interface JobOptions extends Omit<ConnectOptions, 'cell' | 'maxWaitMs' | 'env'> {
  readonly run?: string | undefined;
  /** Variables with the folder of shared state and with proxies. */
  readonly env: NodeJS.ProcessEnv;
  /** The state of workers on several hosts, of which this process is one. */
  readonly shared?: SharedState | undefined;
}

/** Opens the lake under `root` and connects to the pipeline's source; sends nothing yet. */
export async function openJob(
  loaded: Pick<LoadedPipeline, 'pipeline'> &
    Partial<Pick<LoadedPipeline, 'calls' | 'keys' | 'names'>>,
  root: string,
  credentials: Credentials | undefined,
  effects: Effects,
  { run = runName(effects), env, shared, ...options }: JobOptions,
): Promise<OpenJob> {
  const { pipeline, keys = {}, calls = [], names = {} } = loaded;
  const { source } = pipeline;
  const owner = { url: source.url, accessKey: credentials?.accessKey.reveal() };
  const isReal = options.transport === undefined;
  const { perDay } = source.quota ?? {};
  const memory = await openState(layout(root).learned, learnedSchema, localDisk, effects);
  const { quota, cell } = await allowanceOf(owner, { perDay, isReal, effects, env, shared });
  const lake = await openLake({
    root,
    chains: { primary: source.chain, zone: source.zoneChain },
    run,
    effects,
    disk: localDisk,
    turn: shared?.turn,
  });
  const learned = memory.values[source.url];
  const { maxWaitMs } = pipeline.limits;
  const connecting = { quota, cell, env, ...options, maxWaitMs };
  const connection = connect(source, credentials, learned, effects, connecting);
  const captures: Capture[] = [];
  const { stream, pending, commit } = pipeline;
  if (stream !== undefined) {
    const located = { ...stream, url: streamUrl(stream, source.url) };
    captures.push(streamCapture(located, lake, effects, env));
  }
  if (pending !== undefined) {
    const { reads, everyMs, keySet = '' } = pending;
    const rpc = connection.rpc(pendingUrl(pending, source.url));
    const subjects = { reads, addresses: keys[keySet] ?? [], calls };
    captures.push(new PendingCapture({ ...subjects, everyMs, rpc, lake, commit, effects }));
  }
  return {
    ...{ pipeline, keys, names, lake, connection, run, effects },
    disk: localDisk,
    version: windrowVersion(),
    captures,
    quota,
    async close(keep) {
      for (const capture of captures) await capture.close?.();
      await connection.close();
      lake.close();
      quota?.close();
      if (keep === 'nothing') return;
      await memory.save(source.url, connection.learned()).catch((error: unknown) => {
        // The next run learns again. This error must not hide the one that ended the run.
        effects.log('debug', `the learned limits of the source are lost: ${wordsOf(error)}`);
      });
    },
  };
}
