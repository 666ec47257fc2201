import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { simulatedChain } from '../../service/src/simulated/chain.ts';
import { bombOf } from '../fixtures/verification-setup.ts';
import { MAIN } from './command-line.ts';

/** Goal: a service that compiles ends as soon as it is told to. */

const SEED = 'verified';
const HEAD = 2_000;
const ADDRESSES = simulatedChain({ seed: SEED, head: 0 }).addresses(44).slice(40);
const API = '/api/v5/mainchain';

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

describe('windrow serve', () => {
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
