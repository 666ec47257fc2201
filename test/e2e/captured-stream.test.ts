import { type ChildProcess, spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { afterAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { strangeFiles } from '../fixtures/file-kinds.ts';
import { IS_THOROUGH } from '../fixtures/thorough.ts';
import { freshFolder } from '../fixtures/when-over.ts';
import { MAIN } from './command-line.ts';
import { rowsOf } from './harness.ts';
import { soaked } from './stream-soak.ts';

/**
 * Goal: the commands of pipelines/stream.yaml capture a stream as they say, and SIGKILL loses no
 * frame that is in the journal. A second client hears all messages; it and the reading of the
 * journal below share no code with src.
 */

const children: ChildProcess[] = [];
const root = await freshFolder();

afterAll(() => {
  for (const child of children) child.kill('SIGKILL');
});

function started(words: string): ChildProcess {
  const child = spawn(process.execPath, [MAIN, ...words.split(' ')]);
  children.push(child);
  return child;
}

/** Digests of the messages in the journal under the root, and the kind of its last record. */
async function journal(): Promise<{ digests: string[]; lastKind: number }> {
  const folder = join(root, 'state/stream/main');
  const digests: string[] = [];
  let lastKind = -1;
  for (const name of (await readdir(folder).catch(() => [])).sort()) {
    const file = await readFile(join(folder, name));
    for (let at = 0; at + 45 <= file.length; ) {
      const end = at + 45 + file.readUInt32BE(at);
      if (end > file.length) break;
      lastKind = file.readUInt8(at + 4);
      if (lastKind < 2) digests.push(sha256(file.subarray(at + 45, end)));
      at = end;
    }
  }
  return { digests, lastKind };
}

function sha256(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('hex');
}

test('a capture that is killed lands its journal with the next run, and names the rest as a gap', async () => {
  const server = started('serve --chain demo --stream-speed 10 --no-auth --port 0 --json');
  const [line] = await once(
    createInterface({ input: server.stdout as NodeJS.ReadableStream }),
    'line',
  );
  const { url } = JSON.parse(String(line)) as { url: string };
  const stream = `${url.replace('http', 'ws')}/stream`;
  const heard: string[] = [];
  const witness = new WebSocket(stream);
  const isHeard = (count: number): Promise<void> =>
    new Promise((resolve) => {
      const onMessage = () => {
        if (heard.length < count) return;
        witness.off('message', onMessage);
        resolve();
      };
      witness.on('message', onMessage);
    });
  witness.on('message', (data: Buffer) => heard.push(sha256(data)));
  await once(witness, 'open');
  const words = `run pipelines/stream.yaml --source-url ${url} --data ${root}`;

  const killed = started(`${words} --for 10m`);
  const ended = once(killed, 'exit');
  while ((await journal()).digests.length < 100) {
    expect(killed.exitCode).toBeNull();
    await isHeard(heard.length + 20);
  }
  killed.kill('SIGKILL');
  expect(await ended).toEqual([null, 'SIGKILL']);
  const { digests, lastKind } = await journal();
  expect(lastKind).toBeLessThan(2);
  await isHeard(heard.length + 20);

  const next = started(`${words} --for 10m`);
  const stopped = once(next, 'exit');
  let said = '';
  next.stdout?.on('data', (part) => {
    said += String(part);
  });
  while ((await journal()).digests.length <= digests.length) {
    expect(next.exitCode, said).toBeNull();
    await isHeard(heard.length + 20);
  }
  next.kill('SIGTERM');
  const [code] = await stopped;
  // 130 if the lists were not finished.
  expect([0, 130], said).toContain(code);
  expect(said).toMatch(/^stream: \d+ readings, \d+ rows, \d+ gaps?\.$/m);
  const rows = await rowsOf(root, 'preconf_fragments', 'content_hash, frame');
  const landed = rows
    .sort((a, b) => Number(a['frame']) - Number(b['frame']))
    .map((row) => String(row['content_hash']));
  expect(landed.slice(0, digests.length)).toEqual(digests);
  expect(landed.length).toBeGreaterThan(digests.length);

  // All that is missing was sent between the two processes.
  const first = heard.indexOf(landed[0] ?? '');
  const last = heard.indexOf(landed.at(-1) ?? '');
  const missing = heard
    .slice(first, last)
    .flatMap((digest, i) => (landed.includes(digest) ? [] : [i]));
  const before = heard.indexOf(digests.at(-1) ?? '') - first;
  expect(missing.length).toBeGreaterThan(0);
  expect(missing).toEqual(missing.map((_, i) => before + 1 + i));
  expect(heard[first + before + missing.length + 1]).toBe(landed[digests.length]);
  const gaps = await rowsOf(root, 'preconf_gaps', 'reason, detail, frame');
  expect(gaps.filter(({ reason }) => reason === 'killed')).toEqual([
    {
      reason: 'killed',
      detail: expect.stringContaining('journal ends after frame'),
      frame: expect.anything(),
    },
  ]);
  const transactions = await rowsOf(root, 'preconf_transactions', 'count(*) AS n');
  expect(Number(transactions[0]?.['n'])).toBeGreaterThan(0);
  expect(await readdir(join(root, 'state/stream/main'))).toEqual([]);
  expect(await strangeFiles(root)).toEqual([]);
});

test.runIf(IS_THOROUGH)(
  'a follower that is cut off and killed names all that it did not land',
  async () => {
    const soak = { messages: 800, perSecond: 200, reconnects: 3, kills: 1 };
    const soakResult = await soaked(MAIN, await freshFolder(), soak);
    expect(soakResult).toMatchObject({ lost: 0, landedTwice: 0, gaps: { killed: 1 } });
    expect(soakResult.gaps['disconnected']).toBeGreaterThan(1);
    expect(soakResult.landed).toBeGreaterThan(100);
    expect(soakResult.peakBytes).toBeLessThan(300e6);
  },
);
