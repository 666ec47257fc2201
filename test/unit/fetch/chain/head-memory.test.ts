import { expect, it } from 'vitest';
import { HeadMemory } from '../../../../src/fetch/chain/head-memory.ts';

const MINUTE_MS = 60_000;

it('the lag of a replica moves later safe heights down, for ten minutes', () => {
  const memory = new HeadMemory();
  const noted = (head: number, atMs: number) =>
    memory.noted('primary', { head, safe: head - 64 }, atMs).safe;
  expect(noted(1_000, 0)).toBe(936);
  expect(noted(1_005, 5_000)).toBe(941);
  // A replica that is 200 blocks behind answers: its own head is low enough.
  expect(noted(805, 10_000)).toBe(741);
  // Lists may come from it, although another replica tells the head.
  expect(noted(1_015, 15_000)).toBe(751);
  expect(noted(1_600, 10 * MINUTE_MS)).toBe(1_336);
  expect(noted(1_700, 10 * MINUTE_MS + 15_000)).toBe(1_636);
});

it('each axis has a memory of its own, and a head below zero is no lag', () => {
  const memory = new HeadMemory();
  memory.noted('primary', { head: 100, safe: 90 }, 0);
  memory.noted('primary', { head: 50, safe: 40 }, 1);
  expect(memory.noted('zone', { head: -1, safe: 0 }, 2)).toEqual({ head: -1, safe: 0 });
  expect(memory.noted('zone', { head: 7, safe: 1 }, 3)).toEqual({ head: 7, safe: 1 });
});
