import { readFileSync } from 'node:fs';
import { limitHeapGrowth } from '../../src/system.ts';
import type { Copies } from './landing/copies.ts';
import { cpuOf } from './landing/cpu.ts';
import { answering, connected, land } from './landing/land.ts';
import { PageFile, type Places } from './landing/page-file.ts';

/**
 * Lands recorded answers whenever its parent, `landing.ts`, sends a message, and sends it the price.
 * Its argument is a JSON file: see `Work`.
 */
export interface Work {
  readonly copies: Copies;
  readonly pages: string;
  readonly places: Places;
  readonly scratch: string;
}

export interface Landed {
  readonly rows: number;
  readonly cpuSeconds: number;
  /** Of the process so far, with all that it has loaded [MB]. */
  readonly peakMb: number;
}

limitHeapGrowth();
const { copies, pages, places, scratch } = JSON.parse(
  readFileSync(String(process.argv[2]), 'utf8'),
) as Work;
const file = PageFile.open(pages, places);
const replay = answering((target) => Promise.resolve(file.answer(target)));

process.on('message', async () => {
  const { seconds, result } = await cpuOf(() =>
    land({ copies, connection: connected(replay), scratch }),
  );
  const peakMb = Math.round(process.resourceUsage().maxRSS / 1024);
  process.send?.({ rows: result, cpuSeconds: seconds, peakMb } satisfies Landed);
});
