import { readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { fileCell } from '../../../../../src/fetch/rate/cell/file-cell.ts';
import { seededRandom } from '../../../../fixtures/virtual-clock.ts';
import { freshFolder } from '../../../../fixtures/when-over.ts';

let folder = '';
let logged: string[] = [];
beforeEach(async () => {
  folder = await freshFolder();
  logged = [];
});

function read(json: unknown): number {
  if (typeof json !== 'number') throw new Error('not a number');
  return json;
}

const process = (seed: number) =>
  fileCell({
    folder,
    read,
    effects: {
      random: seededRandom(seed),
      log: (level, message) => logged.push(`${level}: ${message}`),
    },
  });
const count = (value = 0): number => value + 1;

async function stored(): Promise<number | undefined> {
  let results: number | undefined;
  await process(9).update((value) => {
    results = value;
    return value ?? 0;
  });
  return results;
}

it('processes change one value in turns, and few versions of it stay', async () => {
  const cells = [1, 2, 3].map((seed) => process(seed));
  for (let round = 0; round < 20; round += 1) for (const cell of cells) await cell.update(count);
  expect(await stored()).toBe(60);
  expect((await readdir(folder)).length).toBeLessThanOrEqual(6);
});

it.each([1, 40])('a process that %i others overtake begins again', async (others) => {
  await process(1).update(() => 100);
  const other = process(2);
  let tries = 0;
  await process(1).update((value) => {
    tries += 1;
    // The file of another process is written before its promise settles.
    for (let at = 0; tries === 1 && at < others; at += 1) void other.update(count);
    return (value ?? 0) + 1000;
  });
  expect(tries).toBe(2);
  expect(await stored()).toBe(1100 + others);
});

it('a version that a killed process was writing is passed over and removed', async () => {
  await process(1).update(count);
  await writeFile(join(folder, '2.abc'), '{');
  expect(await stored()).toBe(1);
  for (let at = 0; at < 6; at += 1) await process(3).update(count);
  expect((await readdir(folder)).filter((name) => name.includes('.'))).toEqual([]);
});

it('a damaged value is logged and replaced', async () => {
  for (const [at, text] of ['', '{', '"1"', 'null'].entries()) {
    await writeFile(join(folder, `${10 * (at + 1)}`), text);
    expect(await stored()).toBeUndefined();
    expect(await stored()).toBe(0);
    expect(logged).toEqual([
      `warn: The rate in ${join(folder, `${10 * (at + 1)}`)} is damaged and is replaced.`,
    ]);
    logged = [];
  }
});

it('without its folder, a process goes on alone and says so once', async () => {
  await rm(folder, { recursive: true });
  await writeFile(folder, '');
  const cell = process(1);
  let last = 0;
  for (let at = 0; at < 3; at += 1) {
    await cell.update((value) => {
      last = count(value);
      return last;
    });
  }
  expect(last).toBe(3);
  expect(logged.filter((line) => line.startsWith('warn'))).toEqual([
    expect.stringContaining('The rate is not shared with other runs: Error: EEXIST'),
  ]);
});
