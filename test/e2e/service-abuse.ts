import { type ChildProcess, spawn } from 'node:child_process';
import { Agent, request } from 'node:http';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { malformedRequests } from './malformed-requests.ts';

/** A served chain under attack, and how a good client fares meanwhile. */

export interface Attack {
  readonly durationMs: number;
  /** Sockets that are always open and never finish what they began. */
  readonly slowSockets: number;
  /** Malformed requests, spread over the time. */
  readonly malformed: number;
}

export interface Findings {
  readonly good: { readonly count: number; readonly failed: number; readonly p99Ms: number };
  /** How malformed requests ended: by HTTP status and code, or `closed`. */
  readonly outcomes: Readonly<Record<string, number>>;
  readonly slow: {
    readonly opened: number;
    readonly closedByService: number;
    readonly longestMs: number;
  };
  readonly memory: { readonly beforeBytes: number; readonly peakBytes: number };
  /** Exit code of the service after SIGTERM. */
  readonly exitCode: number | null;
  readonly said: string;
}

const GOOD_TARGET = '/api/v5/mainchain/block/block-list?chainShortName=MAINCHAIN&limit=20';
const PAUSE_MS = 20;
const SAMPLE_MS = 500;
const DRIP_MS = 400;
/** Longer than the service lets anything stand. */
const PATIENCE_MS = 15_000;
const AT_ONCE = 20;

/** Serves a chain from the build at `main`, and attacks it. */
export async function attacked(main: string, attack: Attack): Promise<Findings> {
  const { child, url, said } = await serving(main);
  const port = Number(new URL(url).port);
  const until = { ms: 0 };
  try {
    await goodClient(url, { ms: Date.now() + 300 });
    const beforeBytes = await residentBytes(url);
    until.ms = Date.now() + attack.durationMs;
    const [good, peakBytes, outcomes, slow] = await Promise.all([
      goodClient(url, until),
      peakOf(url, until),
      sendMalformed(port, attack, until),
      slowSockets(port, attack.slowSockets, until),
    ]);
    const exited = new Promise<number | null>((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    const memory = { beforeBytes, peakBytes };
    return { good, outcomes, slow, memory, exitCode: await exited, said: said() };
  } finally {
    child.kill('SIGKILL');
  }
}

async function serving(main: string): Promise<{
  child: ChildProcess;
  url: string;
  said: () => string;
}> {
  const flags = ['--chain', 'demo', '--head', '3000', '--no-auth', '--port', '0', '--json'];
  const child = spawn(process.execPath, [main, 'serve', ...flags], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  child.stderr.on('data', (part) => {
    text += String(part);
  });
  const line = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once('line', resolve);
    child.once('exit', () => reject(new Error(`the service ended: ${text}`)));
  });
  return { child, url: (JSON.parse(line) as { url: string }).url, said: () => text };
}

interface Until {
  readonly ms: number;
}

/** One request after the other over one connection, each with a pause after it. */
async function goodClient(url: string, until: Until): Promise<Findings['good']> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const tookMs: number[] = [];
  let failed = 0;
  while (Date.now() < until.ms) {
    const startedMs = performance.now();
    const { status, body } = await get(url + GOOD_TARGET, agent).catch(() => NO_ANSWER);
    tookMs.push(performance.now() - startedMs);
    if (status !== 200 || !body.startsWith('{"code":"0"')) failed += 1;
    await delay(PAUSE_MS);
  }
  agent.destroy();
  tookMs.sort((a, b) => a - b);
  const p99Ms = tookMs[Math.ceil(tookMs.length * 0.99) - 1] ?? 0;
  return { count: tookMs.length, failed, p99Ms };
}

const NO_ANSWER = { status: 0, body: '' };

function get(url: string, agent?: Agent): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const sent = request(url, agent === undefined ? {} : { agent }, (response) => {
      let body = '';
      response.on('data', (part) => {
        body += String(part);
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, body }));
    });
    sent.on('error', reject);
    sent.end();
  });
}

async function residentBytes(url: string): Promise<number> {
  const { body } = await get(`${url}/metrics`);
  return Number(/^process_resident_memory_bytes (\d+)$/m.exec(body)?.[1]);
}

async function peakOf(url: string, until: Until): Promise<number> {
  let peak = 0;
  while (Date.now() < until.ms) {
    peak = Math.max(peak, await residentBytes(url));
    await delay(SAMPLE_MS);
  }
  return peak;
}

/** Every kind in turn, some at once, until as many were sent as asked for. */
async function sendMalformed(
  port: number,
  { malformed, durationMs }: Attack,
  until: Until,
): Promise<Record<string, number>> {
  const outcomes: Record<string, number> = {};
  const startMs = until.ms - durationMs;
  let next = 0;
  const sender = async (): Promise<void> => {
    for (let nth = next++; nth < malformed; nth = next++) {
      await delay(startMs + (nth / malformed) * durationMs * 0.9 - Date.now());
      const bytes = malformedRequests[nth % malformedRequests.length]?.bytes() ?? Buffer.alloc(0);
      const outcome = await outcomeOf(port, bytes);
      outcomes[outcome] = (outcomes[outcome] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, sender));
  return outcomes;
}

/** The status and code that bytes are answered with, or how their connection ended. */
export function outcomeOf(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    let received = '';
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes));
    const timer = setTimeout(() => end('left open'), PATIENCE_MS);
    const end = (outcome: string): void => {
      clearTimeout(timer);
      socket.destroy();
      resolve(outcome);
    };
    const told = (): string | undefined => {
      const status = /^HTTP\/1\.1 ([0-9]{3})/.exec(received)?.[1];
      const code = /\{"code":"([0-9]+)"/.exec(received)?.[1];
      return status !== undefined && code !== undefined ? `${status} ${code}` : undefined;
    };
    socket.on('data', (part) => {
      received += part.toString('latin1');
      const outcome = told();
      if (outcome !== undefined) end(outcome);
    });
    socket.on('error', () => undefined);
    socket.on('close', () => end(told() ?? (received === '' ? 'closed' : 'answered in part')));
  });
}

/** How a slow socket begins; what follows comes byte by byte. */
const BEGINNINGS = [
  '',
  'G',
  'GET / HTTP/1.1\r\nHost: localhost\r\nX-Slow: ',
  'POST /api/v5/mainchain/contract/verify-source-code HTTP/1.1\r\nHost: localhost\r\n' +
    'Content-Type: application/json\r\nContent-Length: 9999\r\n\r\n{',
];

/** Keeps so many open, each anew when the service closes it. */
async function slowSockets(port: number, count: number, until: Until): Promise<Findings['slow']> {
  let opened = 0;
  let closedByService = 0;
  let longestMs = 0;
  const one = async (nth: number): Promise<void> => {
    while (Date.now() < until.ms) {
      const startedMs = Date.now();
      opened += 1;
      const isClosed = await dripped(port, BEGINNINGS[nth % BEGINNINGS.length] ?? '', until);
      longestMs = Math.max(longestMs, Date.now() - startedMs);
      if (isClosed) closedByService += 1;
    }
  };
  await Promise.all(Array.from({ length: count }, (_, nth) => one(nth)));
  return { opened, closedByService, longestMs };
}

/** Whether the service closed the socket before the time was up. */
function dripped(port: number, beginning: string, until: Until): Promise<boolean> {
  return new Promise((resolve) => {
    const socket: Socket = connect(port, '127.0.0.1', () => {
      if (beginning !== '') socket.write(beginning);
    });
    const drip = setInterval(() => {
      if (Date.now() >= until.ms) end(false);
      else if (beginning.length > 1) socket.write('a');
    }, DRIP_MS);
    const end = (isClosed: boolean): void => {
      clearInterval(drip);
      socket.destroy();
      resolve(isClosed);
    };
    socket.on('error', () => undefined);
    socket.on('close', () => end(true));
    socket.resume();
  });
}
