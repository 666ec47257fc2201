import { brotliCompressSync, constants } from 'node:zlib';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Effects } from '../../../src/effects.ts';
import type { JsonObject } from '../node/rpc-shapes.ts';
import type { Audience } from './producer.ts';
import {
  type FullStreamSettings,
  fullStreamSettings,
  type StreamSettings,
} from './stream-settings.ts';

/**
 * The public stream of the interface. A client receives all messages after it connects. Messages
 * from clients are ignored, and slow clients do not delay others.
 */
export interface StreamServer extends Audience {
  /**
   * Takes over a connection that requests the stream. Returns the error if the request is not a
   * handshake, and leaves the connection alone in that case.
   */
  accept(...upgrade: Upgrade): string | undefined;
  /** Number of connected clients. */
  readonly clients: number;
  /** Disconnects all clients and refuses later ones. */
  close(): void;
}

/** The request, its socket, and the first bytes after the request. */
export type Upgrade = [request: Handled[0], socket: Handled[1], head: Handled[2]];
type Handled = Parameters<WebSocketServer['handleUpgrade']>;

const TRY_AGAIN_LATER = 1013;
const GOING_AWAY = 1001;
const CANNOT_SERVE = 1011;
/** Clients have nothing to send. */
const MAX_RECEIVED_BYTES = 1024;

/**
 * With `isAbsent`, it answers at the path of a missing stream and closes every connection with a
 * reason.
 */
export function createStreamServer(
  effects: Effects,
  options: StreamSettings = {},
  isAbsent = false,
): StreamServer {
  const settings = fullStreamSettings(options);
  const server = new WebSocketServer({
    noServer: true,
    clientTracking: true,
    perMessageDeflate: false,
    maxPayload: MAX_RECEIVED_BYTES,
  });
  const listening = new Set<WebSocket>();
  let wrong: string | undefined;
  // Emitted within `handleUpgrade`, which sends its own answer if this event has no listener.
  server.on('wsClientError', ({ message }) => {
    wrong = message;
  });

  const welcome = (client: WebSocket): void => {
    // A broken frame or connection ends the connection; no other handling is needed.
    client.on('error', (error) =>
      effects.log('debug', `A client connection failed: ${String(error)}`),
    );
    if (isAbsent) {
      client.close(CANNOT_SERVE, 'only a simulated chain that grows has a stream');
      return;
    }
    if (listening.size >= settings.maxClients) {
      client.close(TRY_AGAIN_LATER, 'too many clients');
      return;
    }
    listening.add(client);
    client.on('close', () => listening.delete(client));
  };

  return {
    get clients() {
      return listening.size;
    },
    accept: (request, socket, head) => {
      wrong = undefined;
      server.handleUpgrade(request, socket, head, welcome);
      return wrong;
    },
    send: (message) => {
      if (listening.size === 0) return;
      const { data, isBinary } = frameOf(message, settings.encoding);
      for (const client of listening) {
        if (client.bufferedAmount <= settings.maxUnsentBytes) {
          client.send(data, { binary: isBinary });
          continue;
        }
        effects.log('debug', 'A client that does not keep up was disconnected.');
        listening.delete(client);
        client.terminate();
      }
    },
    disconnect: () => {
      for (const client of listening) client.terminate();
      listening.clear();
    },
    close: () => {
      for (const client of server.clients) {
        client.close(GOING_AWAY);
        client.terminate();
      }
      listening.clear();
      server.close();
    },
  };
}

/** A WebSocket message in its transmitted form. */
interface Frame {
  readonly data: string | Buffer;
  readonly isBinary: boolean;
}

const MARK = Buffer.of(0x1e);
/** Brotli quality: streams are compressed for speed, not for size. */
const QUALITY = 4;

/** The frame of a message in the encoding of the stream. */
function frameOf(message: JsonObject, encoding: FullStreamSettings['encoding']): Frame {
  const text = JSON.stringify(message);
  switch (encoding) {
    case 'text':
      return { data: text, isBinary: false };
    case 'binary':
      return { data: Buffer.from(text), isBinary: true };
    case 'brotli':
      return { data: compressed(text), isBinary: true };
    case 'marked-brotli':
      return { data: Buffer.concat([MARK, compressed(text)]), isBinary: true };
  }
}

function compressed(text: string): Buffer {
  return brotliCompressSync(text, { params: { [constants.BROTLI_PARAM_QUALITY]: QUALITY } });
}
