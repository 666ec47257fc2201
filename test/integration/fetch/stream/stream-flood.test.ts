import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { expect, it } from 'vitest';
import { readStream, type StreamGap } from '../../../../src/fetch/stream/stream-client.ts';
import { quietEffects } from '../../../fixtures/quiet-effects.ts';
import { portOf } from '../../../fixtures/when-over.ts';

/**
 * Goal: behind a server that sends as fast as it can, the bytes in memory are bounded while the disk
 * is slow, and no frame is lost. The server shares no code with src.
 */

const MIB = 2 ** 20;
/** The bound on waiting bytes, a frame of this test, and a chunk of the socket. */
const MOST_WAITING = (16 + 4 + 1) * MIB;

/** A binary frame of a server (RFC 6455, 5.2). */
function frameOf(length: number): Buffer {
  if (length < 126) return Buffer.concat([Buffer.of(0x82, length), Buffer.alloc(length, 'x')]);
  const head = Buffer.of(0x82, 127, 0, 0, 0, 0, 0, 0, 0, 0);
  head.writeUInt32BE(length, 6);
  return Buffer.concat([head, Buffer.alloc(length, 'x')]);
}

/** Sends the frame over and over as fast as the socket takes it; `taken` are bytes of payload. */
async function floodingServer(length: number, frames: number) {
  const sent = { taken: 0 };
  const perChunk = Math.ceil(65_536 / length);
  const chunk = Buffer.concat(Array.from({ length: perChunk }, () => frameOf(length)));
  const server = createServer((socket: Socket) => {
    socket.once('data', async (request) => {
      const key = /Sec-WebSocket-Key: (.*)\r\n/i.exec(String(request))?.[1] ?? '';
      const accept = createHash('sha1')
        .update(`${key}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`)
        .digest('base64');
      const upgrade =
        'HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade';
      socket.write(`${upgrade}\r\nSec-WebSocket-Accept: ${accept}\r\n\r\n`);
      for (let i = 0; i < frames; i += perChunk) {
        if (!socket.write(chunk)) await once(socket, 'drain');
        sent.taken += perChunk * length;
      }
      socket.end(Buffer.of(0x88, 0));
    });
    socket.on('error', () => undefined);
  });
  return { url: `ws://127.0.0.1:${await portOf(server)}/`, sent };
}

it.each([
  ['large frames', 4 * MIB, 16],
  ['small frames', 32, 32_768 * 30],
])('a server that floods with %s waits for the disk, and loses none', async (_, length, frames) => {
  const { url, sent } = await floodingServer(length, frames);
  const stop = new AbortController();
  const gaps: StreamGap[] = [];
  const total = length * frames;
  let waiting = 0;
  let most = 0;
  let received = 0;
  let stalls = 0;
  let takenInStall = 0;
  await readStream({
    url,
    stop: stop.signal,
    effects: quietEffects(),
    sink: {
      gap: (gap) => gaps.push(gap),
      frame: (data) => {
        waiting += data.length;
        received += data.length;
        most = Math.max(most, waiting);
        if (received === total) stop.abort();
      },
      backlogBytes: () => waiting,
      drained: async () => {
        stalls += 1;
        // Frames that the socket had read already still come.
        for (let i = 0; i < 1000; i += 1) await new Promise((resolve) => setImmediate(resolve));
        takenInStall = Math.max(takenInStall, sent.taken - received);
        waiting = 0;
      },
    },
  });
  expect(gaps.map(({ reason }) => reason)).toEqual(['start']);
  expect(received).toBe(total);
  expect(stalls).toBeGreaterThan(0);
  expect(most).toBeLessThan(MOST_WAITING);
  // The kernel holds some more; the server keeps the rest.
  expect(takenInStall).toBeLessThan(12 * MIB);
});
