import { type Effects, untilAny } from '../../effects.ts';
import { readStream } from '../../fetch/stream/stream-client.ts';
import type { Environment } from '../../fetch/transport/proxy.ts';
import type { Lake } from '../../land/lake.ts';
import type { StreamState } from '../../land/stream/frame-rows.ts';
import { Journal } from '../../land/stream/journal.ts';
import { landFile, newestLanded } from '../../land/stream/land-journal.ts';
import type { CapturedStream } from '../../pipeline/captures/stream-settings.ts';
import type { Capture } from './capture.ts';

/**
 * Captures a stream: frames are appended to a journal as they are, and rows are computed from the
 * journal alone. The journal of a process that was killed lands with the next run, and its end is
 * named as a gap. `env` names proxies.
 */
export function streamCapture(
  { url, network, keepJournal }: CapturedStream,
  lake: Lake,
  effects: Effects,
  env?: Environment,
): Required<Capture> {
  const name = 'stream';
  const state: StreamState = { network, newest: null, ofPayload: new Map() };
  let [readings, rows, gaps] = [0, 0, 0];
  let opening: Promise<Journal> | undefined;
  const openJournal = async (): Promise<Journal> => {
    const least = (await newestLanded(lake, network)) + 1;
    const journal = await Journal.open(lake.layout.journalOf(network), effects, least);
    if (journal.killed !== undefined) journal.gap(journal.killed);
    return journal;
  };
  const journalOf = (): Promise<Journal> => {
    opening ??= openJournal();
    return opening;
  };
  return {
    name,
    // The stream has no history, so `once` reads nothing.
    async capture(stop, extent) {
      if (extent === 'once' || stop.aborted) return;
      const journal = await journalOf();
      const failed = new AbortController();
      await untilAny([stop, failed.signal], (ended) =>
        readStream({
          ...{ url, effects, env, stop: ended },
          sink: {
            gap: ({ reason, detail }) =>
              journal.gap({ fromMs: journal.lastFrameMs, reason, detail }),
            frame: (data, isBinary) => journal.append(isBinary ? 'binary' : 'text', data),
            backlogBytes: () => journal.waitingBytes,
            drained: () => journal.drained().catch((error) => failed.abort(error)),
          },
        }),
      );
      failed.signal.throwIfAborted();
      journal.append('stopped', Buffer.alloc(0));
      await journal.rotate();
    },
    async land() {
      const journal = await journalOf();
      for (const file of await journal.rotate()) {
        const landed = await landFile(lake, file, state, effects.now());
        readings += landed.frames;
        rows += landed.rows;
        gaps += landed.gaps;
        await journal.settle(file, keepJournal);
      }
      return { name, readings, rows, gaps };
    },
    async close() {
      const journal = await opening?.catch(() => undefined);
      await journal?.close();
    },
  };
}
