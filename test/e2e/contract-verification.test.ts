import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { IS_EXHAUSTIVE } from '../fixtures/thorough.ts';
import { bombOf, submissionOf } from '../fixtures/verification-setup.ts';
import { MAIN } from './command-line.ts';

/**
 * Goal: `windrow serve` verifies contracts, and whatever is handed in, queries are answered as fast
 * as ever. All of it goes over HTTP, to a process of its own.
 */

const SEED = 'verified';
const HEAD = 2_000;
const ADDRESSES = simulatedChain({ seed: SEED, head: 0 }).addresses(44).slice(40);
const API = '/api/v5/mainchain';
const RANGE = `startBlockHeight=${HEAD - 500}&endBlockHeight=${HEAD}`;
const QUERIES = [
  `${API}/block/block-fills?chainShortName=MAINCHAIN&height=${HEAD}`,
  `${API}/address/normal-transaction-list-multi?chainShortName=MAINCHAIN&address=${ADDRESSES.join()}&${RANGE}`,
];
const CLIENTS = 4;
const PAUSE_MS = 40;
/** The machine is shared; a service that compiled by itself would stand still for seconds. */
const MOST_P99_MS = 10_000;

let child: ChildProcess;
let url = '';
let said = '';
const agent = new Agent();

beforeAll(async () => {
  const flags = ['--chain', SEED, '--head', `${HEAD}`, '--no-auth', '--port', '0', '--json'];
  child = spawn(process.execPath, [MAIN, 'serve', ...flags], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stderr?.on('data', (part) => {
    said += String(part);
  });
  if (child.stdout === null) throw new Error('the service has no output');
  const lines = createInterface({ input: child.stdout });
  const first = await new Promise<string>((resolve, reject) => {
    lines.once('line', resolve);
    child.once('exit', () => reject(new Error(`the service ended: ${said}`)));
  });
  url = (JSON.parse(first) as { url: string }).url;
});
afterAll(async () => {
  child.kill('SIGKILL');
  await agent.close();
});

async function post(operation: string, value: object): Promise<string> {
  const headers = { 'content-type': 'application/json' };
  const body = JSON.stringify({ chainShortName: 'MAINCHAIN', ...value });
  const target = `${url}${API}/contract/${operation}`;
  const answer = await request(target, { method: 'POST', headers, body, dispatcher: agent });
  const { data } = (await answer.body.json()) as { data: readonly string[] };
  return data[0] ?? '';
}

async function resultOf(guid: string): Promise<string> {
  for (;;) {
    const result = await post('check-verify-result', { guid });
    if (result !== 'Pending') return result;
    await delay(50);
  }
}

/** Asks until the signal, one query after the other; what each took, in milliseconds. */
async function queries(until: AbortSignal): Promise<number[]> {
  const tookMs: number[] = [];
  while (!until.aborted) {
    const startedMs = performance.now();
    const { body } = await request(url + QUERIES[tookMs.length % 2], { dispatcher: agent });
    expect(await body.text()).toMatch(/^\{"code":"0"/);
    tookMs.push(performance.now() - startedMs);
    await delay(PAUSE_MS);
  }
  return tookMs;
}

describe('windrow serve', () => {
  // The limit of 20 s of computing takes a core for as long.
  it.runIf(IS_EXHAUSTIVE)(
    'stops a compiler bomb while its other clients are served, and then goes on',
    async () => {
      for (const query of QUERIES) await (await request(url + query)).body.dump();
      const over = new AbortController();
      const clients = Array.from({ length: CLIENTS }, () => queries(over.signal));
      const startedMs = performance.now();
      const bomb = await post('verify-source-code', bombOf(ADDRESSES));
      const right = await post('verify-source-code', submissionOf(3, ADDRESSES));
      const changed = { ...submissionOf(1, ADDRESSES), optimization: '1' };
      const wrong = await post('verify-source-code', changed);
      expect(new Set([bomb, right, wrong, '']).size).toBe(4);
      expect(await resultOf(bomb)).toBe('Fail');
      const bombMs = performance.now() - startedMs;
      expect(await resultOf(right)).toBe('Success');
      expect(await resultOf(wrong)).toBe('Fail');
      over.abort();
      const tookMs = (await Promise.all(clients)).flat().sort((a, b) => a - b);
      const p99Ms = tookMs[Math.ceil(tookMs.length * 0.99) - 1] ?? Number.POSITIVE_INFINITY;
      process.stdout.write(
        `bomb stopped after ${Math.round(bombMs)} ms; ${tookMs.length} queries beside it: ` +
          `p99 ${Math.round(p99Ms)} ms, longest ${Math.round(tookMs.at(-1) ?? 0)} ms\n`,
      );
      expect(tookMs.length).toBeGreaterThan(5);
      expect(p99Ms).toBeLessThan(MOST_P99_MS);
      expect(said).toMatch(/Fail: "the compiler was stopped at (1024 MiB|20 s of computing)"/);
    },
  );

  it('ends at once, even while it compiles', async () => {
    const before = said.length;
    await post('verify-source-code', bombOf(ADDRESSES));
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGTERM');
    expect(await ended).toBe(0);
    // It stops the compiler before the compiler meets its own limit.
    expect(said.slice(before)).not.toContain('the compiler was stopped at');
  });
});
