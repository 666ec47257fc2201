import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { privateKeyToAccount } from 'viem/accounts';
import { type WebSocket, WebSocketServer } from 'ws';
import { rowsOf } from './harness.ts';

/** A capture by the command line beside a server that shares no code with src. */

export interface Soak {
  readonly messages: number;
  readonly perSecond: number;
  /** Connections that the server ends. */
  readonly reconnects: number;
  /** Times that the follower is killed and started again. */
  readonly kills: number;
}

export interface SoakFindings {
  /** Messages that the server gave to an open connection. */
  readonly delivered: number;
  readonly landed: number;
  /** Messages that neither landed nor lie inside a named gap. */
  readonly lost: number;
  readonly landedTwice: number;
  readonly gaps: Readonly<Record<string, number>>;
  /** Peak of the resident memory of any process. */
  readonly peakBytes: number;
  /** CPU seconds of all processes. */
  readonly cpuSeconds: number;
  readonly seconds: number;
}

const FRAGMENTS = 10;
const TICK_MS = 50;
const SIGNED = 100;
const TICKS_PER_SECOND = 100;

/** Follows the stream of a server under `root`, through cut connections and kills. */
export async function soaked(main: string, root: string, soak: Soak): Promise<SoakFindings> {
  const raws = await signedTransactions();
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const file = join(root, 'soak.yaml');
  await writeFile(file, pipelineAt(`ws://127.0.0.1:${port}/`));
  const usage = { peakBytes: 0, cpuSeconds: 0 };
  const begin = (verb: 'follow' | 'run'): ChildProcess =>
    spawn(process.execPath, [main, verb, file, '--data', root, '--quiet'], { stdio: 'ignore' });
  const end = async (child: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    await addUsage(child, usage);
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  };
  let child = begin('follow');
  const digests: string[] = [];
  let delivered = 0;
  const send = async (count: number): Promise<void> => {
    delivered += await sendUntil(server, count, { digests, raws, perSecond: soak.perSecond });
  };
  /** Messages go on to nobody until a client is there, which then has read all so far. */
  const heard = async (): Promise<void> => {
    while (server.clients.size === 0) await send(digests.length + FRAGMENTS);
    const [client] = server.clients;
    client?.ping();
    await Promise.race([once(client as WebSocket, 'pong'), once(client as WebSocket, 'close')]);
  };
  const startedMs = performance.now();
  try {
    await Promise.race([once(server, 'connection'), once(child, 'exit')]);
    if (child.exitCode !== null) throw new Error('the capture ended before it began');
    for (const stop of stopsOf(soak)) {
      await send(stop.at);
      await heard();
      if (stop.kind === 'cut') for (const client of server.clients) client.terminate();
      if (stop.kind !== 'kill') continue;
      await end(child, 'SIGKILL');
      child = begin('follow');
    }
    await heard();
    await end(child, 'SIGTERM');
  } finally {
    child.kill('SIGKILL');
    for (const client of server.clients) client.terminate();
    server.close();
  }
  const seconds = (performance.now() - startedMs) / 1000;
  const [code] = await once(begin('run'), 'exit');
  if (code !== 0) throw new Error(`the last run ended with ${code}`);
  return { delivered, ...(await landedOf(root, digests)), ...usage, seconds };
}

export interface FloodFindings {
  readonly sentBytes: number;
  readonly landed: number;
  readonly peakBytes: number;
}

/**
 * Captures from a server that sends messages of 1 MiB as fast as the socket takes them, and then
 * neither sends nor reads.
 */
export async function flooded(
  main: string,
  root: string,
  messages: number,
): Promise<FloodFindings> {
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' });
  await once(server, 'listening');
  const file = join(root, 'flood.yaml');
  await writeFile(file, pipelineAt(`ws://127.0.0.1:${(server.address() as AddressInfo).port}/`));
  const usage = { peakBytes: 0, cpuSeconds: 0 };
  const words = ['follow', file, '--data', root, '--quiet'];
  const child = spawn(process.execPath, [main, ...words], { stdio: 'ignore' });
  const ended = once(child, 'exit');
  let sentBytes = 0;
  try {
    const [client] = (await once(server, 'connection')) as [WebSocket];
    for (let i = 0; i < messages; i += 1) {
      const text = JSON.stringify({ payload_id: '0x1', index: i % 9_999, padding: PADDING });
      await new Promise((resolve) => client.send(text, resolve));
      sentBytes += text.length;
    }
    client.ping();
    await once(client, 'pong');
    client.pause();
    await addUsage(child, usage);
    child.kill('SIGTERM');
    await ended;
  } finally {
    child.kill('SIGKILL');
    server.close();
  }
  const run = spawn(process.execPath, [main, 'run', ...words.slice(1)], { stdio: 'ignore' });
  const timer = setInterval(() => void addUsage(run, usage).catch(() => undefined), 250);
  await once(run, 'exit');
  clearInterval(timer);
  const rows = await rowsOf(root, 'preconf_fragments', 'count(*) AS n');
  return { sentBytes, landed: Number(rows[0]?.['n'] ?? 0), peakBytes: usage.peakBytes };
}

const PADDING = 'x'.repeat(1024 * 1024);

interface Stop {
  readonly at: number;
  readonly kind: 'cut' | 'kill';
}

/** Cuts and kills in even distances, and never at the same message. */
function stopsOf({ messages, reconnects, kills }: Soak): Stop[] {
  const even = (count: number, kind: Stop['kind'], offset: number): Stop[] =>
    Array.from({ length: count }, (_, i) => ({
      at: Math.floor((messages * (i + offset)) / count),
      kind,
    }));
  const stops = [...even(reconnects, 'cut', 1), ...even(kills, 'kill', 0.45)];
  return stops.sort((a, b) => a.at - b.at);
}

interface Sending {
  readonly digests: string[];
  readonly raws: readonly string[];
  readonly perSecond: number;
}

/** Sends messages at a rate, to clients or to nobody; the number of those with a client. */
function sendUntil(server: WebSocketServer, count: number, sending: Sending): Promise<number> {
  const { digests, raws, perSecond } = sending;
  let delivered = 0;
  return new Promise((resolve) => {
    const timer = setInterval(() => {
      for (let i = 0; i < (perSecond * TICK_MS) / 1000 && digests.length < count; i += 1) {
        const text = messageOf(digests.length, raws);
        digests.push(createHash('sha256').update(text).digest('hex'));
        const open = [...server.clients].filter((client) => client.readyState === 1);
        for (const client of open) client.send(text);
        delivered += open.length;
      }
      if (digests.length < count) return;
      clearInterval(timer);
      resolve(delivered);
    }, TICK_MS);
  });
}

function messageOf(nth: number, raws: readonly string[]): string {
  const index = nth % FRAGMENTS;
  const height = 1_000 + Math.floor(nth / FRAGMENTS);
  const payload = height.toString(16).padStart(16, '0');
  const hex = `0x${height.toString(16)}`;
  return JSON.stringify({
    payload_id: `0x${payload}`,
    index,
    ...(index === 0 ? { base: { block_number: hex, gas_limit: '0x1c9c380', timestamp: hex } } : {}),
    diff: { transactions: [raws[nth % raws.length]], gas_used: '0x5208', nonce: nth },
    metadata: {
      block_number: height,
      new_account_balances: { [`0x${nth.toString(16).padStart(40, '0')}`]: '0xde0b6b3a7640000' },
      receipts: {},
    },
  });
}

function signedTransactions(): Promise<string[]> {
  const account = privateKeyToAccount(`0x${'11'.repeat(32)}`);
  const signed = Array.from({ length: SIGNED }, (_, nonce) =>
    account.signTransaction({
      type: 'eip1559',
      chainId: 1,
      nonce,
      gas: 21_000n,
      maxFeePerGas: 1n,
      maxPriorityFeePerGas: 1n,
      to: `0x${'22'.repeat(20)}`,
      value: 1n,
    }),
  );
  return Promise.all(signed);
}

/** A pipeline with this stream alone. */
function pipelineAt(url: string): string {
  return `version: 1
name: soak
source: { url: "http://127.0.0.1:1", chain: MAINCHAIN, credentials: none }
stream: { url: "${url}" }
`;
}

/** Adds the peak memory and CPU time of a process so far (Linux). */
async function addUsage(
  { pid }: ChildProcess,
  usage: { peakBytes: number; cpuSeconds: number },
): Promise<void> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  const peakKb = Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1]);
  // A process that is ending has no memory.
  if (Number.isNaN(peakKb)) return;
  usage.peakBytes = Math.max(usage.peakBytes, peakKb * 1024);
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).split(') ')[1]?.split(' ') ?? [];
  usage.cpuSeconds += (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND;
}

/** Compares the rows with all messages, in the order in which they were sent. */
async function landedOf(root: string, digests: readonly string[]) {
  const fragments = await rowsOf(root, 'preconf_fragments', 'content_hash, frame');
  const frames = new Map(fragments.map((row) => [row['content_hash'], Number(row['frame'])]));
  const gaps = await rowsOf(root, 'preconf_gaps', 'reason, frame');
  const gapFrames = gaps.map(({ frame }) => Number(frame)).sort((a, b) => a - b);
  let lost = 0;
  let missing = 0;
  let before = -1;
  for (const digest of digests) {
    const frame = frames.get(digest);
    if (frame === undefined) {
      missing += 1;
      continue;
    }
    const isNamed = gapFrames.some((gap) => gap > before && gap < frame);
    if (frame < before || !isNamed) lost += missing;
    missing = 0;
    before = frame;
  }
  const reasons: Record<string, number> = {};
  for (const { reason } of gaps) reasons[String(reason)] = (reasons[String(reason)] ?? 0) + 1;
  return {
    landed: frames.size,
    lost: lost + missing,
    landedTwice: fragments.length - frames.size,
    gaps: reasons,
  };
}
