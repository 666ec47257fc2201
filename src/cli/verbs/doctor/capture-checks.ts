import type { Effects } from '../../../effects.ts';
import { connect } from '../../../fetch/connect.ts';
import { readStream } from '../../../fetch/stream/stream-client.ts';
import { frameRows } from '../../../land/stream/frame-rows.ts';
import { pendingUrl } from '../../../pipeline/captures/pending-settings.ts';
import { streamUrl } from '../../../pipeline/captures/stream-settings.ts';
import type { Pipeline } from '../../../pipeline/pipeline.ts';
import { type Diagnosis, failure, failureOfFault, fine, warning } from './diagnosis.ts';

/** The time for the first message of a stream, and for the pending block. */
const PATIENCE_MS = 15_000;

/** Whether the stream and the pending state of a pipeline answer; nothing without captures. */
export async function* checkCaptures(
  pipeline: Pipeline,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): AsyncGenerator<Diagnosis> {
  const { stream, pending, source } = pipeline;
  if (stream !== undefined) yield await checkStream(streamUrl(stream, source.url), effects, env);
  if (pending === undefined) return;
  const connection = connect(source, undefined, undefined, effects, { env });
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    const call = { entry: { method: 'eth_getBlockByNumber' }, params: ['pending', true] };
    const [reply] = await connection.rpc(pendingUrl(pending, source.url)).call([call], signal);
    const isBlock = reply !== undefined && 'result' in reply && reply.result !== null;
    const remedy = 'Check pending.url: the service must be a node that has the block tag pending.';
    yield isBlock
      ? fine('pending', 'The JSON-RPC endpoint has a pending block.')
      : failure('pending', 'The JSON-RPC endpoint has no pending block.', remedy);
  } catch (error) {
    const remedy = 'Check pending.url, and firewalls and proxies between this machine and it.';
    yield signal.aborted
      ? failure('pending', 'The JSON-RPC endpoint does not answer in time.', remedy)
      : failureOfFault('pending', error);
  } finally {
    await connection.close();
  }
}

/** Connects to the stream until its first message or the end of the first connection. */
async function checkStream(
  url: string,
  effects: Effects,
  env: NodeJS.ProcessEnv,
): Promise<Diagnosis> {
  const ended = new AbortController();
  let frame: { readonly bytes: Buffer; readonly kind: 'text' | 'binary' } | undefined;
  let problem: string | undefined;
  let isOpen = false;
  await readStream({
    url,
    env,
    stop: AbortSignal.any([ended.signal, AbortSignal.timeout(PATIENCE_MS)]),
    // The client logs each end of a connection, and only this.
    effects: {
      ...effects,
      log: (_, text) => {
        problem = text;
        ended.abort();
      },
    },
    sink: {
      gap: () => {
        isOpen = true;
      },
      frame: (bytes, isBinary) => {
        frame ??= { bytes, kind: isBinary ? 'binary' : 'text' };
        ended.abort();
      },
      backlogBytes: () => 0,
      drained: () => Promise.resolve(),
    },
  });
  const remedy = 'Check stream.url, and firewalls and proxies between this machine and it.';
  if (frame === undefined) {
    if (problem !== undefined) return failure('stream', `${problem}.`, remedy);
    const seconds = PATIENCE_MS / 1000;
    return isOpen
      ? warning('stream', `The stream sent nothing for ${seconds} s.`, remedy)
      : failure('stream', 'The stream does not answer in time.', remedy);
  }
  const state = { network: '', newest: null, ofPayload: new Map() };
  const rows = await frameRows({ ...frame, frame: 0, atMs: effects.now() }, state);
  if (rows['preconf_gaps'] === undefined)
    return fine('stream', 'The stream sends block fragments.');
  const start = frame.bytes.toString('latin1', 0, 60).replace(/[^ -~]/g, '.');
  return failure('stream', `The stream sends no block fragments, but "${start}".`, remedy);
}
