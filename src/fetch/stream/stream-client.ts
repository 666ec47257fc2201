import type { createConnection } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import type { Effects } from '../../effects.ts';
import { retryAfterMs } from '../http/envelope.ts';
import { connectorOf } from '../transport/connector.ts';
import { type Environment, proxyFor } from '../transport/proxy.ts';

/** Receives the frames of a stream. */
export interface FrameSink {
  /** Frames since the last one may be missing: a connection is open again, or the capture ends. */
  gap(gap: StreamGap): void;
  frame(data: Buffer, isBinary: boolean): void;
  /** Bytes that wait for the disk. */
  backlogBytes(): number;
  /** Resolves when few bytes wait. */
  drained(): Promise<void>;
}

/** A time without a connection. */
export interface StreamGap {
  readonly reason: 'start' | 'disconnected' | 'refused' | 'silent';
  readonly detail: string;
}

export interface StreamReading {
  readonly url: string;
  readonly sink: FrameSink;
  readonly effects: Pick<Effects, 'sleep' | 'random' | 'log' | 'every'>;
  readonly stop: AbortSignal;
  /** HTTPS_PROXY, HTTP_PROXY and NO_PROXY; without it, no proxy is used. */
  readonly env?: Environment | undefined;
}

/** Longer frames end the connection. A message of a full block is about 1 MB. */
const MAX_FRAME_BYTES = 16 * 1024 * 1024;
/** The socket is paused while more bytes than this wait for the disk. */
const MAX_BACKLOG_BYTES = 16 * 1024 * 1024;
const HANDSHAKE_MS = 15_000;
const PING_MS = 10_000;
/** A connection that leaves this many pings without any frame or pong is ended. */
const UNANSWERED_PINGS = 3;
const FIRST_DELAY_MS = 500;
const LONGEST_DELAY_MS = 60_000;
/** The shortest wait after the server said that it is full, unless it gives one. */
const FULL_DELAY_MS = 10_000;
const TRY_AGAIN_LATER = 1013;
const TOO_MANY_REQUESTS = 429;

/** The end of a connection. */
interface ConnectionEnd extends StreamGap {
  readonly hadFrames: boolean;
  readonly wasOpen: boolean;
  /** The least wait that the server asks for. */
  readonly waitMs: number;
}

/**
 * Connects to the stream and reads its frames until the stop. After each end of a connection it
 * waits, with jitter and for longer after failures in a row, and connects again.
 */
export async function readStream(options: StreamReading): Promise<void> {
  const { effects, sink, stop, url } = options;
  let gap: StreamGap = { reason: 'start', detail: '' };
  /** The last end of a connection; a capture that never had an open one ends with it. */
  let last = gap;
  let failures = 0;
  while (!stop.aborted) {
    const end = await connection(options, gap);
    if (stop.aborted) {
      if (!end.wasOpen) sink.gap(last);
      return;
    }
    last = end;
    failures = end.hadFrames ? 0 : failures + 1;
    const wholeMs = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** Math.min(failures, 20));
    const delayMs = Math.max(end.waitMs, wholeMs * (0.5 + effects.random() / 2));
    const level = failures > 2 ? 'warn' : 'debug';
    effects.log(level, `The stream ${url} ended (${end.reason}): ${end.detail}`);
    if (end.wasOpen || gap.reason !== 'start') gap = end;
    await effects.sleep(delayMs, stop).catch(() => undefined);
  }
  sink.gap(last);
}

/** One connection, until its end or the stop. */
function connection(
  { url, sink, effects, stop, env = {} }: StreamReading,
  gap: StreamGap,
): Promise<ConnectionEnd> {
  return new Promise((resolve) => {
    const socket = new WebSocket(url, {
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_FRAME_BYTES,
      perMessageDeflate: false,
      followRedirects: false,
      ...throughProxy(url, env),
    });
    let end: Partial<ConnectionEnd> = {};
    let hadFrames = false;
    let wasOpen = false;
    let unanswered = 0;
    let isPaused = false;
    const close = (): void => socket.terminate();
    const stopPings = effects.every?.(PING_MS, () => {
      if (isPaused || socket.readyState !== WebSocket.OPEN) return;
      // Counted, because a process that was suspended has not read its socket yet.
      if (unanswered >= UNANSWERED_PINGS) {
        const seconds = (UNANSWERED_PINGS * PING_MS) / 1000;
        end = { reason: 'silent', detail: `nothing was received for ${seconds} s` };
        close();
        return;
      }
      unanswered += 1;
      socket.ping();
    });
    const pauseWhileFull = async (): Promise<void> => {
      isPaused = true;
      socket.pause();
      await sink.drained();
      isPaused = false;
      unanswered = 0;
      socket.resume();
    };
    if (stop.aborted) close();
    else stop.addEventListener('abort', close, { once: true });
    socket.on('open', () => {
      wasOpen = true;
      sink.gap(gap);
    });
    socket.on('pong', () => {
      unanswered = 0;
    });
    socket.on('message', (data, isBinary) => {
      unanswered = 0;
      hadFrames = true;
      // As binaryType says by default.
      sink.frame(data as Buffer, isBinary);
      if (!isPaused && sink.backlogBytes() > MAX_BACKLOG_BYTES) void pauseWhileFull();
    });
    socket.on('unexpected-response', (_request, response) => {
      const { statusCode = 0, headers } = response;
      const isFull = statusCode === TOO_MANY_REQUESTS || statusCode === 503;
      const waitMs = retryAfterMs(headers) ?? (isFull ? FULL_DELAY_MS : 0);
      end = { reason: 'refused', detail: `HTTP status ${statusCode}`, waitMs };
      response.destroy();
      close();
    });
    socket.on('error', (error) => {
      end = { reason: 'disconnected', detail: error.message, ...end };
    });
    socket.on('close', (code, reason) => {
      stopPings?.();
      stop.removeEventListener('abort', close);
      const detail = `close code ${code} ${reason.toString('utf8')}`.trim();
      const isFull = code === TRY_AGAIN_LATER;
      const closed = isFull
        ? { reason: 'refused' as const, waitMs: FULL_DELAY_MS }
        : { reason: 'disconnected' as const, waitMs: 0 };
      resolve({ ...closed, detail, ...end, hadFrames, wasOpen });
    });
  });
}

/** The tunnel through the proxy that the environment names for the address; empty without one. */
function throughProxy(url: string, env: Environment): ClientOptions {
  const { href, protocol, hostname, port } = new URL(url.replace(/^ws/, 'http'));
  const proxy = proxyFor(href, env);
  if (proxy === undefined) return {};
  const connector = connectorOf({ timeoutMs: HANDSHAKE_MS, proxy });
  const host = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}`;
  const connect = (_: unknown, callback: Parameters<typeof connector>[1]): void =>
    connector({ protocol, hostname, host, port }, callback);
  // Node's requests accept a connection by callback, which the types of ws lack.
  return { createConnection: connect as unknown as typeof createConnection };
}
